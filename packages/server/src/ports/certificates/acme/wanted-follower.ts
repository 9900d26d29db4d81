import { countChanges } from '../../../db/change-clock-store.js'
import type { Reader } from '../../../db/port.js'
import type { Job } from '../../../shared/job.js'
import type { Wakeup } from '../../../shared/wakeup.js'

const everyMs = 250

/** Looks whether any process has noted a change that lets a certificate be ordered: a new name, a verified zone, or `svc tls renew`. */
export function followWanted(database: Reader, wakeup: Wakeup): Job {
  let seen: number | undefined
  return {
    name: 'certificates.wanted',
    everyMs,
    runsIn: 'every process',
    failureMessage: 'it could not be read which certificates are wanted',
    run: async () => {
      const changes = await countChanges(database, 'wanted-certificates')
      if (changes !== seen) wakeup.call()
      seen = changes
    },
  }
}
