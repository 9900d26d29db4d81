import type { Areas } from '@svc/contract'
import { badRequest } from '@svc/contract/errors'
import { historyDaysDefault } from '@svc/contract/limits'
import type { Handlers } from '../../http/handler.js'
import type { UserTargets } from '../../ports/outbound/port.js'
import { lastDays } from '../../shared/days.js'
import { pageKey } from '../../shared/page.js'
import { requirePathId } from '../../shared/path-id.js'
import { quoted } from '../../shared/quoted.js'
import { timestamp } from '../../shared/timestamp.js'
import { checkTerms } from './kinds.js'
import { deploymentToJson, detailToJson, listedToJson } from './presenter.js'
import { randomSlug } from './slug.js'
import type { DeploymentListStore } from './list-store.js'
import type { DeploymentStore } from './store.js'

interface Dependencies {
  readonly deployments: DeploymentStore
  readonly lists: DeploymentListStore
  /** The origin of the content host. */
  readonly contentUrl: string
  /** Sends what webhooks forward. */
  readonly targets: UserTargets
  /** Saves the uses of short links that this process has in memory. */
  readonly saveUses: () => Promise<void>
}

/** Random slugs are tried again in the unlikely case that one is taken. */
const attempts = 3

type DeploymentHandlers = Pick<
  Handlers<Areas['deployments']>,
  'list' | 'toggle' | 'delete' | 'create' | 'update' | 'get' | 'uses' | 'recentUses'
>

/** Forms, webhooks and short links (specification, section 4.5). */
export const deploymentHandlers = ({
  deployments,
  lists,
  contentUrl,
  targets,
  saveUses,
}: Dependencies): DeploymentHandlers => ({
  async list({ query }, { account }) {
    const [page, total] = await Promise.all([lists.list(account, pageKey(query)), lists.count(account)])
    const entries = page.entries.map((deployment) => listedToJson(contentUrl, deployment))
    return { deployments: entries, next: page.next, total }
  },

  toggle: async ({ body: { id, enabled } }, { account }) =>
    deploymentToJson(contentUrl, await deployments.toggle(account, id, enabled)),

  async delete({ body: { id } }, { account }) {
    await deployments.remove(account, id)
    return { id, deleted: true }
  },

  async create({ body: { kind, slug, enabled: isEnabled = true, ...given } }, { account, session }) {
    if (kind === 'webhook') requirePublicTarget(targets, given.target)
    const terms = checkTerms[kind](given)
    for (let attempt = 0; attempt < (slug === undefined ? attempts : 1); attempt++) {
      const created = await deployments.create(account, { kind, slug: slug ?? randomSlug(kind), isEnabled, ...terms })
      if (created) return detailToJson(contentUrl, created, session)
    }
    throw badRequest('slug', `${quoted(slug ?? '')} is taken: choose another one, or leave it out for a random one`)
  },

  async update({ body: { id, ...given } }, { account, session }) {
    const { kind } = await deployments.get(account, id)
    if (kind === 'webhook') requirePublicTarget(targets, given.target)
    // A maximum counts the uses before it too.
    if (typeof given.shortlink?.max_uses === 'number') await saveUses()
    return detailToJson(contentUrl, await deployments.change(account, id, given), session)
  },

  get: async ({ params }, { account, session }) =>
    detailToJson(contentUrl, await deployments.get(account, requirePathId(params.id, 'deployment')), session),

  async uses({ params, query: { days = historyDaysDefault } }, { account }) {
    const id = requirePathId(params.id, 'deployment')
    return { days: await deployments.usesByDay(account, id, lastDays(days)) }
  },

  async recentUses({ params }, { account }) {
    const hours = await deployments.usesByHour(account, requirePathId(params.id, 'deployment'))
    return {
      hours: hours.map(({ start, uses, failures, usesWeekBefore }) => ({
        start: timestamp(start),
        uses,
        failures,
        uses_week_before: usesWeekBefore,
      })),
    }
  },
})

/** Refuses a target that can be seen to be private. The addresses of a name are checked when a request is forwarded. */
function requirePublicTarget(targets: UserTargets, target: string | null | undefined): void {
  const problem = typeof target === 'string' ? targets.problemOf(target) : undefined
  if (problem !== undefined) throw badRequest('target', problem)
}
