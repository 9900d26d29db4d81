import type { Account } from '../../../shared/account.js'
import type { RecordStore } from './store.js'

/**
 * Checks input. The zone is checked here only if the input is invalid, because `forbidden_zone` takes precedence. For valid
 * input, the store checks the zone: one query less.
 * @throws ApiError `forbidden_zone`, or as `check`
 */
export async function checkInZone<R>(
  records: Pick<RecordStore, 'requireVerified'>,
  account: Account,
  zone: string,
  check: () => R | Promise<R>,
): Promise<R> {
  try {
    return await check()
  } catch (error) {
    await records.requireVerified(account, zone)
    throw error
  }
}
