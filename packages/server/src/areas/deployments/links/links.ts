import { countChanges } from '../../../db/change-clock-store.js'
import type { Database } from '../../../db/port.js'
import type { EndpointRoute } from '../../../http/area.js'
import { FollowedCache } from '../../../shared/followed-cache.js'
import type { Job } from '../../../shared/job.js'
import { WriteBatch } from '../../../shared/write-batch.js'
import type { Link } from './link.js'
import { linkStore } from './link-store.js'
import { linkRoute } from './route.js'

export const usesNotSaved = 'the uses of short links could not be saved'

interface Links {
  readonly route: EndpointRoute
  readonly jobs: readonly Job[]
  /** Called after this process has committed a change of a deployment. */
  readonly clear: () => void
  /** Saves the uses that were counted in memory. */
  readonly flush: () => Promise<void>
}

/** Short links, kept in memory until a deployment changes. Uses are counted in memory, except those of links with a maximum. */
export function shortLinks(database: Database): Links {
  const store = linkStore(database)
  const uses = new WriteBatch<number>(store.addUses, (earlier, later) => earlier + later)
  const links = new FollowedCache<string, Link>({
    job: { name: 'deployments.changes', failureMessage: 'short links may redirect as before a change' },
    countChanges: () => countChanges(database, 'deployments'),
    limits: { max: 10_000, maxSize: 8_000_000, sizeCalculation: ({ target }) => target.length },
  })
  const saveUses: Job = {
    name: 'deployments.uses',
    everyMs: 1_000,
    runsIn: 'every process',
    failureMessage: usesNotSaved,
    run: () => uses.flush(),
  }
  return {
    route: linkRoute({ store, links, count: (id) => uses.add(id, 1) }),
    jobs: [links.job, saveUses],
    clear: () => {
      links.clear()
    },
    flush: () => uses.flush(),
  }
}
