import { queryOptions } from '@tanstack/react-query'
import { client } from '../api/client.js'
import { queryClient } from '../api/query-client.js'
import { isUnderWay } from './state.js'

export type Certificates = Awaited<ReturnType<typeof client.tls.list>>

/** Milliseconds between reads while orders are under way: they take seconds. One that takes longer is not followed at this pace. */
const fastMs = 1_500
const slowMs = 60_000
const fastForMs = 120_000
/** An own domain gets its certificate a moment later: until then, the list does not show that one is under way. */
const beginsWithinMs = 10_000

const loadedAt = Date.now()
/** When the user last asked for a certificate. */
let askedAt = -Infinity

/** How soon the list is read again. */
function paceOf(list: Certificates | undefined): number | false {
  if (list === undefined || list.unavailable !== null) return false
  const now = Date.now()
  if (now - askedAt < beginsWithinMs) return fastMs
  if (list.certificates.some((certificate) => isUnderWay(certificate, now)))
    return now - Math.max(askedAt, loadedAt) < fastForMs ? fastMs : slowMs
  return list.certificates.some(({ error }) => error !== null) ? slowMs : false
}

/** The certificates of the account. The list is read again while some are ordered, and while some have problems. */
export const certificatesQuery = queryOptions({
  queryKey: ['tls', 'list'],
  queryFn: () => client.tls.list(),
  refetchInterval: ({ state }) => paceOf(state.data),
})

/** Reads the list again after a write, and follows it until the certificates are there. */
export async function followCertificates(): Promise<void> {
  askedAt = Date.now()
  await queryClient.invalidateQueries({ queryKey: certificatesQuery.queryKey })
}
