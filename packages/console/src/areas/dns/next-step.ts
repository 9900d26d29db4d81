import { isPublicName } from '@svc/contract'
import type { ListedClaim } from './queries.js'

/** What the user does next with a zone: prove control, or delegate it. */
export function nextStep({ status, verification }: Pick<ListedClaim, 'status' | 'verification'>): string {
  const { note, name, expected_ns: nameservers } = verification
  if (status === 'pending' && note !== undefined) return 'Ask the operator of this server to assign it to you'
  if (status === 'pending' && name !== undefined) return `Publish the TXT record ${name}`
  if (!nameservers.every(isPublicName)) return 'The operator of this server must set SVC_NAMESERVERS'
  return `Set its nameservers to ${nameservers.join(' and ')}`
}
