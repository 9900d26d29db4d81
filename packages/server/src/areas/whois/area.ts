import type { Area } from '../../http/area.js'
import type { Registries } from '../../ports/registry/port.js'
import { whoisHandlers } from './handlers.js'

interface WhoisParts extends Registries {
  readonly stop: () => void
  readonly removeOld: (signal: AbortSignal) => Promise<void>
}

const removeEveryMs = 10 * 60 * 1000

/** Registration data of domains, for all accounts. */
export const whoisArea = (registries: WhoisParts): Area<'whois'> => ({
  handlers: whoisHandlers(registries),
  jobs: [
    {
      name: 'whois.removeOld',
      everyMs: removeEveryMs,
      runsIn: 'one process',
      failureMessage: 'old registration data could not be removed',
      run: (signal) => registries.removeOld(signal),
    },
  ],
  stop: () => {
    registries.stop()
  },
})
