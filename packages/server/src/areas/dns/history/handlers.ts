import type { Areas } from '@svc/contract'
import { badRequest } from '@svc/contract/errors'
import { LongJson } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import { pageKey } from '../../../shared/page.js'
import { pathId } from '../../../shared/path-id.js'
import { runInSlices } from '../../../shared/time-slices.js'
import { timestamp } from '../../../shared/timestamp.js'
import { turns } from '../../../shared/turns.js'
import type { Publisher } from '../publisher.js'
import { checkInZone } from '../records/check-in-zone.js'
import type { RecordStore } from '../records/store.js'
import type { DnsStores } from '../stores.js'
import { wantedHost } from '../values/wanted-host.js'
import { differenceSteps } from '../zones/change-text.js'
import { pathZone } from '../zones/name.js'
import { pageSteps, revertSteps, stateSteps } from './history-json.js'
import type { Revert } from './revert-store.js'

type HistoryHandlers = Pick<Handlers<Areas['dns']>, 'historyList' | 'historyGet' | 'historyRevert'>

interface HistoryDependencies {
  readonly stores: Pick<DnsStores, 'history' | 'reverts'> & { readonly records: Pick<RecordStore, 'requireVerified'> }
  readonly publisher: Pick<Publisher, 'revert'>
}

/** The changes of a zone, the zone as it was, and the way back. */
export function historyHandlers({ stores, publisher }: HistoryDependencies): HistoryHandlers {
  const { history, reverts, records } = stores
  const oneEachTurn = turns()
  // Of several requests at once, one slice runs in each turn of the event loop.
  const pause = () => oneEachTurn(() => Promise.resolve())
  const answer = async (steps: Generator<undefined, Buffer[]>) => new LongJson(await runInSlices(steps, pause), true)
  return {
    async historyList({ params, query }, context) {
      const { account } = context
      const zone = pathZone(params.zone)
      const host = await checkInZone(records, account, zone, () => wantedHost(zone, query))
      const filter = { host, type: query.type }
      const page = await history.page(account, zone, filter, pageKey(query), () => context.hasLeft)
      return answer(pageSteps(zone, page))
    },

    async historyGet({ params }, { account }) {
      const zone = pathZone(params.zone)
      const serial = pathId(params.serial)
      return answer(stateSteps(zone, serial, await history.at(account, zone, serial)))
    },

    async historyRevert({ params, body }, { account }) {
      const zone = pathZone(params.zone)
      const revert = await checkInZone(records, account, zone, () => wantedRevert(body))
      const effect =
        body.dry_run === true
          ? await reverts.plan(account, zone, revert, timestamp(Date.now()))
          : await publisher.revert(account, zone, revert)
      const difference = await runInSlices(differenceSteps(effect.removed, effect.added), pause)
      return answer(revertSteps(zone, effect.serial, difference))
    },
  }
}

interface RevertBody {
  readonly serial?: number
  readonly to?: number
  readonly if_serial?: number
}

/** @throws ApiError `bad_request` unless one of `serial` and `to` is given */
function wantedRevert({ serial, to, if_serial: ifSerial }: RevertBody): Revert {
  if (serial === undefined) {
    if (to === undefined) throw badRequest('serial', 'is required, or to instead of it')
    return { to, ifSerial }
  }
  if (to !== undefined) throw badRequest('to', 'cannot be combined with serial: send one of them')
  return { serial, ifSerial }
}
