import type { Logger } from 'pino'
import type { AreaName, ConsoleAreas, Output } from '@svc/contract'
import type { Area } from '../http/area.js'
import type { Handlers } from '../http/handler.js'
import type { Dns } from '../ports/dns/port.js'
import type { Account } from '../shared/account.js'
import type { AreaList } from './mounted.js'

interface Dependencies {
  readonly dns: Pick<Dns, 'isExternal' | 'ping'>
  readonly log: Logger
}

type Shown = Output<ConsoleAreas['overview']['show']>

/** The start page of the console: a part of each area that has one, and the state of the nameserver. */
export function overviewHandlers(
  areas: Partial<AreaList>,
  { dns, log }: Dependencies,
): Handlers<ConsoleAreas['overview']> {
  const list = Object.entries<Area<AreaName>>(areas)

  /** A failure makes the part null, and leaves the other parts as they are. */
  const readPart = async (name: string, overview: NonNullable<Area<AreaName>['overview']>, account: Account) => {
    try {
      return [name, await overview(account)] as const
    } catch (error) {
      log.error({ err: error, area: name }, 'a part of the overview could not be read')
      return [name, null] as const
    }
  }

  return {
    async show(_input, { account }) {
      const [nameserver, ...parts] = await Promise.all([
        stateOf(dns),
        ...list.flatMap(([name, { overview }]) => (overview === undefined ? [] : [readPart(name, overview, account)])),
      ])
      return { nameserver, parts: Object.fromEntries(parts) }
    },
  }
}

/** An external server is not asked: its answer may take seconds. */
const stateOf = async (dns: Dependencies['dns']): Promise<Shown['nameserver']> =>
  dns.isExternal
    ? 'external'
    : dns.ping().then(
        () => 'running',
        () => 'failing',
      )
