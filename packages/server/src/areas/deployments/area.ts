import type { Logger } from 'pino'
import type { Area } from '../../http/area.js'
import type { Database } from '../../db/port.js'
import type { MailOutbox } from '../../ports/mail/outbox/outbox.js'
import type { UserTargets } from '../../ports/outbound/port.js'
import type { DiskSpace } from '../../ports/space/port.js'
import { pathId } from '../../shared/path-id.js'
import { deploymentHandlers } from './handlers.js'
import { formStore } from './forms/form-store.js'
import { submissionHandlers, submissionsOfConsole } from './forms/handlers.js'
import { submissionNotice } from './forms/notice.js'
import { formRoute } from './forms/route.js'
import { submissionStore } from './forms/submission-store.js'
import { largeBodies } from './large-bodies.js'
import { shortLinks, usesNotSaved } from './links/links.js'
import { deploymentListStore } from './list-store.js'
import { deploymentsOverview } from './overview-store.js'
import { removalJob } from './removal-store.js'
import { deploymentSearch } from './search-store.js'
import { deploymentStore } from './store.js'
import { useRetentionJob } from './use-count-store.js'
import { deliveryNotices } from './webhooks/notices.js'
import { webhookParts } from './webhooks/webhooks.js'

interface DeploymentsAreaDependencies {
  readonly database: Database
  readonly log: Logger
  /** The origin of the content host. */
  readonly contentUrl: string
  /** Sends what webhooks forward. */
  readonly targets: UserTargets
  readonly space: DiskSpace
  readonly outbox: MailOutbox
  /** The server's address for links. */
  readonly baseUrl: string
  /** The most deployments of an account; 0 for no limit. */
  readonly max: number
}

/** Forms, webhooks and short links: their operations, and their addresses on the content host. */
export function deploymentsArea(dependencies: DeploymentsAreaDependencies): Area<'deployments'> {
  const { database, log, contentUrl, max, targets, space, outbox, baseUrl } = dependencies
  const links = shortLinks(database)
  const deployments = deploymentStore(database, max, links.clear)
  const lists = deploymentListStore(database)
  const withinMemory = largeBodies()
  const webhooks = webhookParts({ ...dependencies, withinMemory })
  const submissions = submissionStore(database)
  const notices = deliveryNotices(database, outbox, baseUrl)
  return {
    handlers: {
      ...deploymentHandlers({ deployments, lists, contentUrl, targets, saveUses: links.flush }),
      ...submissionHandlers(submissions),
      ...webhooks.handlers,
    },
    console: { deployments: { ...submissionsOfConsole(submissions), ...webhooks.console } },
    overview: deploymentsOverview(database, lists),
    search: deploymentSearch(database),
    thingNames: { id: (account, given) => deployments.slugOf(account, pathId(String(given))) },
    endpoints: [
      links.route,
      formRoute(formStore(database), {
        space,
        withinMemory,
        notices: { tell: submissionNotice(outbox, baseUrl), wake: outbox.wake, noteDropped: outbox.noteDropped },
      }),
      ...webhooks.routes,
    ],
    jobs: [...links.jobs, webhooks.deliverer.job, removalJob(database), useRetentionJob(database), ...notices.jobs],
    mails: notices.mails,
    stop: () => {
      webhooks.deliverer.stop()
    },
    close: async () => {
      await webhooks.deliverer.close()
      await links.flush().catch((error: unknown) => {
        log.error({ err: error }, usesNotSaved)
      })
    },
  }
}
