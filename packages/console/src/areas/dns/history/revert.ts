import { SvcError } from '@svc/client'
import { queryOptions } from '@tanstack/react-query'
import { client } from '../../../parts/api/client.js'
import { recordsChanged } from '../queries.js'

/** Takes back changes of a zone. */

/** One change, or all since a serial. */
export type Revert = { readonly serial: number } | { readonly to: number }

type Effect = Awaited<ReturnType<typeof client.dns.historyRevert>>

const dryRun = (zone: string, revert: Revert): Promise<Effect> =>
  client.dns.historyRevert({ zone, ...revert, dry_run: true })

/** What a revert would change. It is not read again by itself: the user confirms what is on the screen. */
export const dryRunQuery = (zone: string, revert: Revert) =>
  queryOptions({
    queryKey: ['dns', 'historyRevert', zone, revert],
    queryFn: () => dryRun(zone, revert),
    staleTime: Infinity,
    gcTime: 0,
  })

const isSameEffect = (one: Effect, other: Effect): boolean =>
  JSON.stringify([one.removed, one.added]) === JSON.stringify([other.removed, other.added])

/** What became of a revert that the user has confirmed. */
export interface Outcome {
  /** False if the zone has changed since the dry run, so that nothing was done. */
  readonly isDone: boolean
  /** What it has changed, or would change now. */
  readonly effect: Effect
}

/** How often a zone may change between a dry run and its confirmation without another effect. */
const attemptsMax = 3

/**
 * Takes back what the user has seen and confirmed, and nothing else. Other changes meanwhile matter only if they change that.
 * @param shown the dry run that was confirmed
 * @throws SvcError with the server's reason, such as a later change of the same record
 */
export async function applyRevert(zone: string, revert: Revert, shown: Effect): Promise<Outcome> {
  let current = shown
  for (let attempt = 1; ; attempt++)
    try {
      const effect = await client.dns.historyRevert({ zone, ...revert, if_serial: current.serial })
      await recordsChanged(zone)
      return { isDone: true, effect }
    } catch (error) {
      const hasChanged = error instanceof SvcError && error.field === 'if_serial'
      if (!hasChanged || attempt === attemptsMax) throw error
      current = await dryRun(zone, revert)
      if (isSameEffect(current, shown)) continue
      void recordsChanged(zone)
      return { isDone: false, effect: current }
    }
}
