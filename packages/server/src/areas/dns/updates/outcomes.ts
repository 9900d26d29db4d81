import { LRUCache } from 'lru-cache'
import { rcode, type Rcode } from './rcode.js'

/** Twice the time for which a signature is accepted (RFC 8945, section 10, advises 300 seconds for each direction), in milliseconds. */
const keptMs = 600_000

/** About 200 bytes each. */
const keptMax = 20_000

/**
 * The outcomes of messages, by their signatures. A client that gets no answer over UDP sends the same message again, with the same
 * signature: it waits for the first one, or gets its outcome. Applied twice, the second could fail at a prerequisite that the first has
 * made untrue. For the same reason, a message that an attacker records and sends later has no effect (RFC 8945, section 5.2.3).
 */
export function rememberedOutcomes() {
  // Made for the first message: it allocates its lists at once.
  let outcomes: LRUCache<string, Promise<Rcode>> | undefined
  return {
    /** @param work must not reject. A failure of the server is not remembered: the client may try again */
    once(signature: string, work: () => Promise<Rcode>): Promise<Rcode> {
      const kept = (outcomes ??= new LRUCache({ max: keptMax, ttl: keptMs }))
      const known = kept.get(signature)
      if (known !== undefined) return known
      const outcome = work().then((code) => {
        if (code === rcode.servFail) kept.delete(signature)
        return code
      })
      kept.set(signature, outcome)
      return outcome
    },
  }
}
