import { rcode, type Rcode } from '../../../ports/dns/embedded/codes.js'

/** Twice the time for which a signature is accepted (RFC 8945, section 10, advises 300 seconds for each direction), in milliseconds. */
const keptMs = 600_000

/** Outcomes of all accounts together: about 200 bytes each. */
const keptMax = 20_000

interface Kept {
  readonly outcome: Promise<Rcode>
  /** On the clock of `performance.now()`. */
  readonly until: number
}

/**
 * The outcomes of messages, by their signatures. A client that gets no answer over UDP sends the same message again, with the same
 * signature: it waits for the first one, or gets its outcome. Applied twice, the second could fail at a prerequisite that the first has
 * made untrue. For the same reason, a message that an attacker records and sends later has no effect (RFC 8945, section 5.2.3).
 *
 * Beyond the maximum, the account with the most outcomes loses its oldest ones: an attacker's updates cannot displace the
 * outcomes of another account.
 */
export function rememberedOutcomes(max = keptMax) {
  /** By account, then by signature. Both in the order of their insertion. */
  const accounts = new Map<number, Map<string, Kept>>()
  let size = 0

  function forget(accountId: number, ofAccount: Map<string, Kept>, signature: string): void {
    if (ofAccount.delete(signature)) size--
    if (ofAccount.size === 0 && accounts.get(accountId) === ofAccount) accounts.delete(accountId)
  }

  function forgetExpired(accountId: number, ofAccount: Map<string, Kept>): void {
    const now = performance.now()
    for (const [signature, { until }] of ofAccount) {
      if (until > now) return
      forget(accountId, ofAccount, signature)
    }
  }

  /** Forgets many at once, so that the search for the largest account is rare. */
  function makeRoom(): void {
    for (const [accountId, ofAccount] of accounts) forgetExpired(accountId, ofAccount)
    if (size < max) return
    let largest: [number, Map<string, Kept>] | undefined
    for (const entry of accounts) if (entry[1].size > (largest?.[1].size ?? 0)) largest = entry
    if (largest === undefined) return
    let left = Math.ceil(largest[1].size / 100)
    for (const signature of largest[1].keys()) {
      if (left-- === 0) return
      forget(...largest, signature)
    }
  }

  return {
    /**
     * @param signature of the message, unique among all keys of the account
     * @param work must not reject. A failure of the server is not remembered: the client may try again
     */
    once(accountId: number, signature: string, work: () => Promise<Rcode>): Promise<Rcode> {
      const earlier = accounts.get(accountId)
      if (earlier !== undefined) forgetExpired(accountId, earlier)
      const known = earlier?.get(signature)
      if (known !== undefined) return known.outcome
      if (size >= max) makeRoom()
      const kept = accounts.get(accountId) ?? new Map<string, Kept>()
      accounts.set(accountId, kept)
      const outcome = work().then((code) => {
        if (code === rcode.servFail) forget(accountId, kept, signature)
        return code
      })
      kept.set(signature, { outcome, until: performance.now() + keptMs })
      size++
      return outcome
    },
  }
}
