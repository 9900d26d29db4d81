import type { ConsoleAreas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import type { FilesParts } from '../parts.js'
import { usageStore } from './usage-store.js'

const orNull = (limit: number): number | null => (limit === 0 ? null : limit)

/** What an account stores, for the console. */
export function usageHandlers({
  database,
  limits,
}: Pick<FilesParts, 'database' | 'limits'>): Handlers<ConsoleAreas['files']> {
  const usage = usageStore(database)
  return {
    async usage(_, { account }) {
      const { files, shared, bytes, uploads } = await usage.of(account)
      return {
        ...{ files, shared, bytes, uploads },
        bytes_limit: orNull(limits.bytesMax),
        file_bytes_limit: orNull(limits.fileBytesMax),
      }
    },
  }
}
