import type { Areas } from '@svc/contract'
import { ApiError } from '@svc/contract/errors'
import type { Handlers } from '../../../http/handler.js'
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
    async secondaryList(_input, { account }) {
      const found = await secondaries.list(account)
      return { secondaries: await Promise.all(found.map(toJson)), total: found.length }
    },

    async secondaryCreate({ body }, { account }) {
      if (!isServing) throw new ApiError('bad_request', byPowerDns)
      const target = { address: checkAddress(body.address, areReachable), port: checkPort(body.port) }
      return toJson(await secondaries.add(account, target, body.key_id))
    },

    async secondaryDelete({ params }, { account }) {
      const id = pathId(params.id)
      await secondaries.remove(account, id)
      return { id, deleted: true }
    },
  }
}
