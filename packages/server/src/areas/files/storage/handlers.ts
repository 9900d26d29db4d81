import type { Areas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import { historyDaysDefault } from '@svc/contract/limits'
import type { MeasuredSpace } from '../../../ports/space/port.js'
import { lastDays } from '../../../shared/days.js'
import type { FilesDependencies } from '../dependencies.js'
import { trafficHistory } from '../sharing/traffic-day-store.js'
import { storageLimitsOf } from './limits.js'
import { usageStore } from './usage-store.js'

/** A limit in an answer: the setting 0 means none. */
export const orNull = (limit: number): number | null => (limit === 0 ? null : limit)

/** How many bytes can be stored: a file must fit on each disk, beside its reserve. Null without a disk that is measured. */
export const freeBytesOf = (spaces: readonly MeasuredSpace[]): number | null =>
  spaces.length === 0
    ? null
    : Math.max(0, Math.min(...spaces.map(({ freeBytes, reserveBytes }) => freeBytes - reserveBytes)))

export type UsageHandlers = Pick<Handlers<Areas['files']>, 'usage' | 'traffic'>

/** What an account stores, and the requests for what it shares. */
export function usageHandlers({
  database,
  limits,
  space,
}: Pick<FilesDependencies, 'database' | 'limits' | 'space'>): UsageHandlers {
  const usage = usageStore(database)
  const history = trafficHistory(database)
  return {
    async usage(_, { account }) {
      const { files, shared, bytes, uploads } = await usage.of(account)
      const { bytesMax, fileBytesMax } = storageLimitsOf(account, limits)
      return {
        files,
        shared,
        bytes,
        uploads,
        bytes_limit: orNull(bytesMax),
        file_bytes_limit: orNull(fileBytesMax),
        free_bytes: freeBytesOf(space.measured()),
      }
    },

    async traffic({ query: { id, days = historyDaysDefault } }, { account }) {
      const range = lastDays(days)
      return { days: id === undefined ? await history.ofAll(account, range) : await history.ofFile(account, id, range) }
    },
  }
}
