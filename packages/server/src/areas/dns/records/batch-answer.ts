import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Areas, Output } from '@svc/contract'
import { LongJson } from '../../../http/answer.js'
import { runInSlices } from '../../../shared/time-slices.js'
import type { RecordsPlan } from './plan.js'
import { toJson } from './presenter.js'
import type { StoredRecord } from './record.js'

type BatchAnswer = Output<Areas['dns']['recordsBatch']>

/** Up to so many records are serialized in one turn of the event loop: they take about 2 ms. */
const shortMax = 1000

/** The answer to a batch. A change of the ttl alone can change every record of the zone. */
export async function batchAnswer(
  zone: string,
  dry_run: boolean,
  { removed, added }: Pick<RecordsPlan, 'removed' | 'added'>,
  warnings: BatchAnswer['warnings'],
): Promise<BatchAnswer | LongJson> {
  if (removed.length + added.length <= shortMax) {
    const json = (of: readonly StoredRecord[]) => of.map((record) => toJson(zone, record))
    return { zone, dry_run, removed: json(removed), added: json(added), warnings }
  }
  const head = `{"zone":${JSON.stringify(zone)},"dry_run":${String(dry_run)},"removed":[`
  const pieces = [
    Buffer.from(head),
    ...(await runInSlices(listSteps(zone, removed), nextTurn)),
    Buffer.from('],"added":['),
    ...(await runInSlices(listSteps(zone, added), nextTurn)),
    Buffer.from(`],"warnings":${JSON.stringify(warnings)}}`),
  ]
  return new LongJson(pieces, true)
}

const recordsPerStep = 100

/** The items of a JSON list, as a computation that can be interrupted. */
function* listSteps(zone: string, records: readonly StoredRecord[]): Generator<undefined, Buffer[]> {
  const pieces: Buffer[] = []
  for (let first = 0; first < records.length; first += recordsPerStep) {
    const some = records.slice(first, first + recordsPerStep).map((record) => JSON.stringify(toJson(zone, record)))
    pieces.push(Buffer.from((first === 0 ? '' : ',') + some.join(',')))
    yield
  }
  return pieces
}
