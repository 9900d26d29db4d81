import type { Areas } from '@svc/contract'
import { ApiError } from '@svc/contract/errors'
import { LongJson } from '../../http/answer.js'
import type { Handlers } from '../../http/handler.js'
import { registrableName } from '../../ports/dns/apex-name.js'
import { AccountLookUps } from '../../ports/registry/account-look-ups.js'
import { toUpstreamError } from '../../ports/registry/errors.js'
import { refuseInvisible } from '../../shared/visible-text.js'
import { parseDomainNames } from './portfolio/names.js'
import type { PortfolioStore } from './portfolio/store.js'
import type { Sync } from './refresh/sync.js'

/** An answer that is younger is not asked for again: a client that repeats a refresh does not use up the registry's limits. */
const youngMs = 60_000

const [head, tail] = [Buffer.from('{"domains":['), Buffer.from(']}')]

type DomainHandlers = Pick<Handlers<Areas['domains']>, 'list' | 'whoisSync' | 'add' | 'remove' | 'annotate'>

/** The domain portfolio (specification, section 4.5). */
export function domainHandlers(domains: PortfolioStore, sync: Sync): DomainHandlers {
  const lookUps = new AccountLookUps()
  return {
    async list(_input, { account }) {
      return new LongJson([head, ...(await domains.listJson(account)), tail], true)
    },

    async whoisSync({ body }, { account }) {
      const name = registrableName('domain', body.domain)
      await domains.find(account, name)
      const refreshed = lookUps.run(account, () => sync.refresh(name, { maxAgeMs: youngMs }))
      const { registration } = await refreshed.catch((error: unknown) => {
        throw toUpstreamError(error)
      })
      if (registration === undefined)
        throw new ApiError(
          'not_found',
          `${name} is not registered. The portfolio keeps the data of its last registration.`,
        )
      return domains.find(account, name)
    },

    add: async ({ body }, { account }) => ({ domains: await domains.add(account, parseDomainNames(body.domains)) }),

    async remove({ body: { id } }, { account }) {
      await domains.remove(account, id)
      return { id, deleted: true }
    },

    annotate({ body: { id, note } }, { account }) {
      refuseInvisible('note', note)
      return domains.annotate(account, id, note)
    },
  }
}
