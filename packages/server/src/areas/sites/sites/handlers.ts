import type { Areas } from '@svc/contract'
import { longList } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import { yieldBatches } from '../../../shared/page.js'
import { allows } from '../../../shared/rules.js'
import { turns } from '../../../shared/turns.js'
import { byteLimits, siteLimitsOf } from '../limits.js'
import type { SitesDependencies } from '../dependencies.js'
import { requireFreeName } from './names.js'
import { siteToJson } from './presenter.js'

/** Static sites (specification, section 4.5). */
export function siteHandlers(
  dependencies: SitesDependencies,
): Pick<Handlers<Areas['sites']>, 'list' | 'deploy' | 'delete'> {
  const { sites, siteReads, deployer, limits, reserved, urlOf, changed, removeDomains } = dependencies
  const oneEachTurn = turns()
  return {
    async list(_input, { account }) {
      const all = await oneEachTurn(() => siteReads.list(account))
      const { rules } = account
      const list =
        rules === undefined ? all : all.filter(({ name }) => allows(rules, { kind: 'site', name, access: 'read' }))
      return longList('{"sites":[', yieldBatches(list, oneEachTurn), (site) => JSON.stringify(siteToJson(urlOf, site)))
    },
    deploy: {
      async limit({ account }, { name }) {
        if (name !== undefined) {
          requireFreeName(name, reserved)
          await siteReads.checkName(account, name)
        }
        return byteLimits(siteLimitsOf(account, limits))
      },
      async handle({ body: { name }, bytes }, { account }) {
        requireFreeName(name, reserved)
        await siteReads.checkName(account, name)
        const site = await deployer.deploy(account, name, bytes)
        changed()
        return { ...siteToJson(urlOf, site), version_number: site.lastVersion, skipped: [...site.skipped] }
      },
    },
    async delete({ body: { name } }, { account }) {
      await removeDomains(account, name)
      await sites.remove(account, name)
      changed()
      return { name, deleted: true }
    },
  }
}
