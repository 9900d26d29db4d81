import type { Area } from '../../http/area.js'
import type { Registries } from '../../ports/registry/port.js'
import { whoisHandlers } from './handlers.js'

interface WhoisDependencies extends Registries {
  readonly stop: () => void
}

/** Registration data of domains, for all accounts. */
export const whoisArea = (registries: WhoisDependencies): Area<'whois'> => ({
  handlers: whoisHandlers(registries),
  stop: () => {
    registries.stop()
  },
})
