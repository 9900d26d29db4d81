import type { ConsoleAreas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import { historyDaysDefault } from '@svc/contract/limits'
import { lastDays } from '../../../shared/days.js'
import type { FilesParts } from '../parts.js'
import { trafficHistory } from '../sharing/traffic-day-store.js'
import { usageStore } from './usage-store.js'

const orNull = (limit: number): number | null => (limit === 0 ? null : limit)

/** What an account stores and shares, for the console. */
export function consoleHandlers({
  database,
  limits,
}: Pick<FilesParts, 'database' | 'limits'>): Handlers<ConsoleAreas['files']> {
  const usage = usageStore(database)
  const history = trafficHistory(database)
  return {
    async usage(_, { account }) {
      const { files, shared, bytes, uploads } = await usage.of(account)
      return {
        ...{ files, shared, bytes, uploads },
        bytes_limit: orNull(limits.bytesMax),
        file_bytes_limit: orNull(limits.fileBytesMax),
      }
    },

    async traffic({ query: { id, days = historyDaysDefault } }, { account }) {
      const range = lastDays(days)
      return { days: id === undefined ? await history.ofAll(account, range) : await history.ofFile(account, id, range) }
    },
  }
}
