import type { Areas } from '@svc/contract'
import { ApiError } from '@svc/contract/errors'
import type { CallerContext, Handlers } from '../../../http/handler.js'
import { pathId } from '../../../shared/path-id.js'
import { byPowerDns, secondaryPresenter, type PresenterDependencies } from './presenter.js'
import { checkAddress, checkPort } from './secondary.js'
import type { SecondaryStore } from './store.js'

interface SecondaryHandlerDependencies extends PresenterDependencies {
  readonly secondaries: SecondaryStore
}

type SecondaryOperation = Extract<keyof Handlers<Areas['dns']>, `secondary${string}`>

/** The nameservers that an account has named for copies of its zones. */
export function secondaryHandlers(
  dependencies: SecondaryHandlerDependencies,
): Pick<Handlers<Areas['dns']>, SecondaryOperation> {
  const { secondaries, areReachable, isServing } = dependencies
  const toJson = secondaryPresenter(dependencies)
  return {
    async secondaryList(_input, caller) {
      refuseRules(caller, 'dns:read')
      const found = await secondaries.list(caller.account)
      return { secondaries: await Promise.all(found.map(toJson)), total: found.length }
    },

    async secondaryCreate({ body }, caller) {
      refuseRules(caller, 'dns:write')
      if (!isServing) throw new ApiError('bad_request', byPowerDns)
      const target = { address: checkAddress(body.address, areReachable), port: checkPort(body.port) }
      return toJson(await secondaries.add(caller.account, target, body.key_id))
    },

    async secondaryDelete({ params }, caller) {
      refuseRules(caller, 'dns:write')
      const id = pathId(params.id)
      await secondaries.remove(caller.account, id)
      return { id, deleted: true }
    },
  }
}

/** A secondary is told about all zones of the account, also about those that the rules of a token hide. */
function refuseRules(
  { account, scopes }: Pick<CallerContext, 'account' | 'scopes'>,
  scope: 'dns:read' | 'dns:write',
): void {
  if (account.rules === undefined) return
  throw new ApiError('forbidden_scope', 'A token with rules cannot use the secondaries of the account.', {
    required_scopes: [scope],
    token_scopes: scopes,
  })
}
