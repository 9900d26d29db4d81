import type { Logger } from 'pino'
import type { Database } from '../../db/port.js'
import type { Area } from '../../http/area.js'
import { streamHandlers } from './handlers.js'
import { EventStreams } from './streams.js'

interface EventsDependencies {
  readonly database: Database
  readonly log: Logger
}

/** What happens in an account, as it happens. */
export function eventsArea({ database, log }: EventsDependencies): Area<'events'> {
  const streams = new EventStreams({ db: database, log })
  return {
    handlers: streamHandlers(streams),
    jobs: [streams.job],
    stop: () => {
      streams.stop()
    },
  }
}
