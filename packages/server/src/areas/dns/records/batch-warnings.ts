import type { Account } from '../../../shared/account.js'
import { fullName } from '../values/host.js'
import { toRRsetJson, type RRsetJson } from './presenter.js'
import type { RecordsPlan } from './plan.js'
import type { ExistingRecord, StoredRecord } from './record.js'
import type { RecordStore } from './store.js'
import type { WantedChange } from './wanted-changes.js'
import { aliasWarning, spfWarnings, targetHosts, targetWarning, type Warning } from './warnings.js'

/** What a batch changes, or would change. */
export type BatchEffect = Pick<RecordsPlan, 'removed' | 'added' | 'after'>

/** An RRset with the field of the request that changed it last. */
interface Changed {
  readonly rrset: RRsetJson
  /** `changes[3].create`, without the name of the field itself. */
  readonly path: string
  readonly values: 'value' | 'values'
}

type BatchWarning = Warning<string>

const keyOf = ({ host, type }: Pick<StoredRecord, 'host' | 'type'>) => `${host} ${type}`

/**
 * The warnings about the RRsets that a batch changes, in two queries at most. The database may have the records of before the batch
 * or of after it.
 */
export async function batchWarnings(
  records: Pick<RecordStore, 'aliases' | 'pointingToAny'>,
  account: Account,
  zone: string,
  changes: readonly WantedChange[],
  effect: BatchEffect,
): Promise<BatchWarning[]> {
  const sets = changedSets(zone, changes, effect)
  const ofType = (...types: string[]) => sets.filter(({ rrset }) => types.includes(rrset.type))
  const pointing = ofType('MX', 'NS', 'SRV')
  const hosts = new Set(pointing.flatMap(({ rrset }) => targetHosts(zone, rrset)))
  const aliases = ofType('CNAME')
  const [aliasRows, pointingRows] = await Promise.all([
    hosts.size === 0 ? [] : records.aliases(account, zone, [...hosts]),
    aliases.length === 0
      ? []
      : records.pointingToAny(
          account,
          zone,
          aliases.map(({ rrset }) => rrset.name),
        ),
  ])
  const aliasAt = new Map(withEffect(aliasRows, effect, 'CNAME').map((row) => [row.host, row]))
  const pointingAt = byTarget(withEffect(pointingRows, effect, 'MX', 'NS', 'SRV'))
  return [
    ...ofType('TXT').flatMap(({ rrset, path, values }) => spfWarnings(rrset, `${path}.${values}`)),
    ...pointing.flatMap(({ rrset, path, values }) =>
      [...new Set(targetHosts(zone, rrset))]
        .flatMap((host) => aliasAt.get(host) ?? [])
        .map((alias) => targetWarning(zone, rrset.type, alias, `${path}.${values}`)),
    ),
    ...aliases.flatMap(({ rrset: { name }, path }) => {
      const record = pointingAt.get(name)
      return record === undefined ? [] : [aliasWarning(name, record, `${path}.host`)]
    }),
  ]
}

/** The RRsets that have records because of the batch. */
function changedSets(zone: string, changes: readonly WantedChange[], { added, after }: BatchEffect): Changed[] {
  const byId = new Map(added.map((record) => [record.id, record]))
  const paths = new Map<string, Omit<Changed, 'rrset'>>()
  for (const [position, change] of changes.entries()) {
    const { kind } = change
    const of = kind === 'create' ? change.record : kind === 'replace' ? change.rrset : byId.get(change.id)
    const values = kind === 'replace' ? 'values' : 'value'
    if (of !== undefined) paths.set(keyOf(of), { path: `changes[${position}].${kind}`, values })
  }
  const names = new Map(added.map((record) => [`${fullName(zone, record.host)} ${record.type}`, record]))
  return after.flatMap((set) => {
    const record = names.get(`${set.name} ${set.type}`)
    const changed = record && paths.get(keyOf(record))
    return record && changed ? [{ rrset: toRRsetJson(zone, record, [set]), ...changed }] : []
  })
}

/** Rows of the database with the batch applied, whether or not they have it already. */
const withEffect = (
  rows: readonly ExistingRecord[],
  { removed, added }: BatchEffect,
  ...types: string[]
): ExistingRecord[] => {
  const gone = new Set(removed.map(({ id }) => id))
  const kept = new Map(rows.filter(({ id }) => !gone.has(id)).map((row) => [row.id, row]))
  for (const row of added) if (types.includes(row.type)) kept.set(row.id, row)
  return [...kept.values()]
}

/** The first record for each target. */
function byTarget(rows: readonly ExistingRecord[]): Map<string, ExistingRecord> {
  const targets = new Map<string, ExistingRecord>()
  for (const row of rows) {
    const target = row.value.slice(row.value.lastIndexOf(' ') + 1)
    if (!targets.has(target)) targets.set(target, row)
  }
  return targets
}
