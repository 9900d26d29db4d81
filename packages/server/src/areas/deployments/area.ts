import type { Area } from '../../http/area.js'
import type { Database } from '../../db/port.js'
import { consoleHandlers, deploymentHandlers } from './handlers.js'
import { removalJob } from './removal-store.js'
import { deploymentStore } from './store.js'

interface DeploymentsAreaParts {
  readonly database: Database
  /** The origin of the content host. */
  readonly contentUrl: string
  /** The most deployments of an account; 0 for no limit. */
  readonly max: number
}

/** Forms, webhooks and short links: their operations, and their addresses on the content host. */
export function deploymentsArea({ database, contentUrl, max }: DeploymentsAreaParts): Area<'deployments'> {
  const deployments = deploymentStore(database, max)
  return {
    handlers: deploymentHandlers({ deployments, contentUrl }),
    console: { deployments: consoleHandlers({ deployments, contentUrl }) },
    endpoints: [],
    jobs: [removalJob(database)],
  }
}
