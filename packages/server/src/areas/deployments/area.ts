import type { Logger } from 'pino'
import type { Area } from '../../http/area.js'
import type { Database } from '../../db/port.js'
import { consoleHandlers, deploymentHandlers } from './handlers.js'
import { formStore } from './forms/form-store.js'
import { submissionHandlers } from './forms/handlers.js'
import { formRoute } from './forms/route.js'
import { submissionStore } from './forms/submission-store.js'
import { shortLinks, usesNotSaved } from './links/links.js'
import { removalJob } from './removal-store.js'
import { deploymentStore } from './store.js'

interface DeploymentsAreaParts {
  readonly database: Database
  readonly log: Logger
  /** The origin of the content host. */
  readonly contentUrl: string
  /** The most deployments of an account; 0 for no limit. */
  readonly max: number
}

/** Forms, webhooks and short links: their operations, and their addresses on the content host. */
export function deploymentsArea({ database, log, contentUrl, max }: DeploymentsAreaParts): Area<'deployments'> {
  const links = shortLinks(database)
  const deployments = deploymentStore(database, max, links.clear)
  return {
    handlers: deploymentHandlers({ deployments, contentUrl }),
    console: {
      deployments: {
        ...consoleHandlers({ deployments, contentUrl }),
        ...submissionHandlers(submissionStore(database)),
      },
    },
    endpoints: [links.route, formRoute(formStore(database))],
    jobs: [...links.jobs, removalJob(database)],
    close: () =>
      links.flush().catch((error: unknown) => {
        log.error({ err: error }, usesNotSaved)
      }),
  }
}
