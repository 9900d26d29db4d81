import type { Operation } from '@svc/contract'

/** The last words of their names. Without a sign-in, a user could not delete anything in the console. */
const freeing =
  /(?:delete|deleteAccount|discard|enterPassword|purge|release|remove|revoke|revokeAll|revokeOthers|signIn|signOut|toggle|zoneFilePreview)$/i

/** Whether an operation is answered on a full disk: it reads, deletes or revokes. */
export const worksOnFullDisk = ({ method, id }: Operation): boolean => method === 'GET' || freeing.test(id)
