import { zoneFileMaxLength, type Areas, type Output } from '@svc/contract'
import { badRequest } from '@svc/contract/errors'
import { TextFile } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import type { Account } from '../../../shared/account.js'
import { runInSlices } from '../../../shared/time-slices.js'
import { timestamp } from '../../../shared/timestamp.js'
import { turns } from '../../../shared/turns.js'
import { readable } from '../zones/record-rules.js'
import { zoneKey } from '../zones/verified-store.js'
import type { Publisher } from '../publisher.js'
import { zoneCapOf, type ZoneCap } from '../records/plan.js'
import type { StoredRecord } from '../records/record.js'
import type { RecordStore } from '../records/store.js'
import { pathZone } from '../zones/name.js'
import { describeRemarks, ImportConflicts } from './import-plan.js'
import type { ImportPlan, ImportStore } from './import-store.js'
import type { Remark } from './lexer.js'
import { zoneFileSteps, type ZoneFile } from './reader.js'
import { zoneFilePieces } from './writer.js'

interface ZoneFileDependencies extends ZoneCap {
  readonly imports: ImportStore
  readonly requireVerified: RecordStore['requireVerified']
  readonly publisher: Publisher
  readonly nameservers: readonly string[]
  readonly hostmaster: string | undefined
}

type Preview = Output<Areas['dns']['zoneFilePreview']>
type Change = Preview['changes'][number]

/** How many changes a preview lists. */
const listedMax = 1000

type ZoneFileHandlers = Pick<Handlers<Areas['dns']>, 'zoneFileExport' | 'zoneFilePreview' | 'zoneFileImport'>

/** Zone files: export, and import with a preview. */
export function zoneFileHandlers(dependencies: ZoneFileDependencies): ZoneFileHandlers {
  const { imports, requireVerified, publisher, nameservers, hostmaster } = dependencies
  const capOf = (account: Account) => {
    const { recordsMax, zoneBytesMax } = dependencies
    return zoneCapOf(account, { recordsMax, zoneBytesMax })
  }
  // Of several imports at once, one slice runs in each turn of the event loop.
  const oneEachTurn = turns()
  const pause = () => oneEachTurn(() => Promise.resolve())

  /** @throws ApiError `bad_request` for a text that is too long */
  function read(account: Account, zone: string, text: string): Promise<ZoneFile> {
    if (text.length > zoneFileMaxLength)
      throw badRequest(
        'text',
        `must have at most ${zoneFileMaxLength} characters, not ${text.length}; the operator can import larger files with svc dns import`,
      )
    return runInSlices(zoneFileSteps(zone, text, capOf(account)), pause)
  }
  const optionsOf = (account: Account, replace = false) => ({ ...capOf(account), replace, now: timestamp(Date.now()) })

  return {
    async zoneFileExport({ params }, { account }) {
      const zone = pathZone(params.zone)
      const { serial, records } = await imports.records(account, zone)
      const pieces = zoneFilePieces({ zone, serial, records, nameservers, hostmaster })
      return new TextFile(`${zone}.zone`, 'text/dns; charset=utf-8', inTurns(pieces, pause))
    },

    async zoneFilePreview({ params, body }, { account }) {
      const zone = pathZone(params.zone)
      await requireVerified(account, zone)
      const { records, notes, problems } = await read(account, zone, body.text)
      if (problems.length > 0) return emptyPreview(notes, problems)
      if (records.length === 0) throw noRecords(zone)
      try {
        const options = { ...optionsOf(account, body.replace), access: 'read' } as const
        const plan = await imports.plan(account, zone, records, options)
        return previewOf(plan, readable(zoneKey(account, zone), [...plan.before]).length, notes)
      } catch (error) {
        if (!(error instanceof ImportConflicts)) throw error
        return emptyPreview(notes, error.problems)
      }
    },

    async zoneFileImport({ params, body }, { account }) {
      const zone = pathZone(params.zone)
      await requireVerified(account, zone)
      const { records, problems } = await read(account, zone, body.text)
      if (problems.length > 0) throw badRequest('text', `has invalid lines: ${describeRemarks(problems)}`)
      if (records.length === 0) throw noRecords(zone)
      const counts = await publisher.importRecords(account, zone, records, optionsOf(account, body.replace))
      const { created, ttlChanged, deleted, serial } = counts
      return { created, ttl_changed: ttlChanged, deleted, serial }
    },
  }
}

/** Most likely the wrong file; with `replace` it would empty the zone. */
const noRecords = (zone: string) => badRequest('text', `has no records for ${zone}`)

async function* inTurns(pieces: Iterable<string>, pause: () => Promise<void>): AsyncGenerator<string> {
  for (const piece of pieces) {
    await pause()
    yield piece
  }
}

const emptyPreview = (notes: readonly Remark[], problems: readonly Remark[]): Preview => ({
  created: 0,
  ttl_changed: 0,
  deleted: 0,
  unchanged: 0,
  changes: [],
  notes: [...notes],
  problems: [...problems],
})

/** @param before how many records the caller may read */
function previewOf(
  { created, ttlChanged, deleted, lines }: ImportPlan,
  before: number,
  notes: readonly Remark[],
): Preview {
  const listed = (change: Change['change'], records: readonly StoredRecord[]): Change[] =>
    records
      .slice(0, listedMax)
      .map(({ id, type, host, value, ttl, priority }) => ({
        change,
        type,
        host,
        value,
        ttl,
        priority,
        line: lines.get(id) ?? null,
      }))
  const changes = [...listed('created', created), ...listed('ttl_changed', ttlChanged), ...listed('deleted', deleted)]
  return {
    created: created.length,
    ttl_changed: ttlChanged.length,
    deleted: deleted.length,
    unchanged: before - ttlChanged.length - deleted.length,
    changes: changes.slice(0, listedMax),
    notes: [...notes],
    problems: [],
  }
}
