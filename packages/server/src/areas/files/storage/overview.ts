import { overviewDays } from '@svc/contract/limits'
import type { Overview } from '../../../http/area.js'
import { lastDays } from '../../../shared/days.js'
import type { FilesDependencies } from '../dependencies.js'
import { trafficHistory } from '../sharing/traffic-day-store.js'
import { freeBytesOf, orNull } from './handlers.js'
import { storageLimitsOf } from './limits.js'
import { usageStore } from './usage-store.js'

/** Storage and requests on the start page of the console. */
export function filesOverview({
  database,
  limits,
  space,
}: Pick<FilesDependencies, 'database' | 'limits' | 'space'>): Overview<'files'> {
  const usage = usageStore(database)
  const history = trafficHistory(database)
  return async (account) => {
    const [{ files, shared, uploads, bytes }, days] = await Promise.all([
      usage.of(account),
      history.ofAll(account, lastDays(overviewDays)),
    ])
    return {
      files,
      shared,
      uploads,
      bytes,
      bytes_limit: orNull(storageLimitsOf(account, limits).bytesMax),
      free_bytes: freeBytesOf(space.measured()),
      requests: days.map(({ day, requests }) => ({ day, count: requests })),
    }
  }
}
