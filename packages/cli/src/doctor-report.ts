import type { BlobOwner, BlobRow, Diagnosis, ObjectFindings, RowFindings } from '@svc/server'

/** The diagnosis as text. */
interface Report {
  /** Each a sentence, followed by lines with the first of the entries that it counts. */
  readonly problems: readonly Section[]
  /** The same for findings that are no problem. */
  readonly remarks: readonly Section[]
}

type Section = readonly string[]

type Owners = ReadonlyMap<string, BlobOwner>

export function reportOf({ conflicts, storage }: Diagnosis): Report {
  const { failures, rows, objects, owners, isOwned } = storage
  return {
    problems: [
      ...[...conflicts, ...failures].map((sentence) => [sentence]),
      ...(rows ? rowProblems(rows, owners) : []),
    ],
    remarks: rows && objects ? remarksOf(rows, objects, isOwned === true) : [],
  }
}

function rowProblems({ missing, otherSize, unknown }: RowFindings, owners: Owners): Section[] {
  const describe = ({ key, size }: BlobRow) => `${key}: ${size} bytes of ${ownerText(owners.get(key))}`
  return [
    ...section(
      'row',
      'no object: restore it from a backup, or tell the owner that the bytes are lost.',
      missing,
      describe,
    ),
    ...section(
      'row',
      'an object of another size.',
      otherSize,
      (row) => `${describe(row)}, but ${row.objectSize} stored`,
    ),
    ...section('row', 'an object that cannot be checked.', unknown, (row) => `${describe(row)}. ${row.problem}`),
  ]
}

function remarksOf({ rows }: RowFindings, found: ObjectFindings, isOwned: boolean): Section[] {
  const removal = isOwned ? 'within about an hour' : 'once a first upload has given the store to this installation'
  return [
    [`Checked ${counted(rows, 'row')} and ${counted(found.objects, 'object')}.`],
    ...section('object', 'no row yet: a running process has stored them.', found.uploading, String),
    ...section('object', `no row: the server removes them ${removal}.`, found.orphans, String),
    ...section(
      'object',
      'no row here, but another copy of the database may have one, for example from before a restore: svc leaves them alone. ' +
        'Delete them if you do not need that copy.',
      found.laterState,
      String,
    ),
    ...section('object', 'a name that svc did not make: svc leaves them alone.', found.otherNames, String),
  ]
}

interface Entries<T> {
  readonly count: number
  readonly first: readonly T[]
}

/** `2 rows have no object.` and its entries; nothing for no entries. */
function section<T>(
  noun: string,
  what: string,
  { count, first }: Entries<T>,
  describe: (entry: T) => string,
): Section[] {
  if (count === 0) return []
  const more = count - first.length
  return [
    [
      `${counted(count, noun)} ${count === 1 ? 'has' : 'have'} ${what}`,
      ...first.map((entry) => `  ${describe(entry)}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ],
  ]
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const kindTexts = {
  file: 'the file',
  upload: 'the unfinished upload',
  artifact: 'the artifact',
  site: 'the sites',
} as const

function ownerText(owner: BlobOwner | undefined): string {
  if (owner === undefined) return 'an unknown owner'
  const { email, kind, name } = owner
  return [kindTexts[kind], ...(name === undefined ? [] : [name]), 'of', email].join(' ')
}

/** @param isWell whether the diagnosis has no problem */
export const diagnosisToJson = (
  { conflicts, storage: { failures, rows, objects, owners } }: Diagnosis,
  isWell: boolean,
) => ({
  ok: isWell,
  conflicts,
  failures,
  rows: rows ? rowsToJson(rows, owners) : null,
  objects: objects
    ? {
        count: objects.objects,
        uploading: mapEntries(objects.uploading, String),
        orphans: mapEntries(objects.orphans, String),
        later_state: mapEntries(objects.laterState, String),
        other_names: mapEntries(objects.otherNames, String),
      }
    : null,
})

function rowsToJson({ rows, missing, otherSize, unknown }: RowFindings, owners: Owners) {
  const rowToJson = ({ key, size }: BlobRow) => {
    const owner = owners.get(key)
    return {
      key,
      size,
      kind: owner?.kind ?? null,
      name: owner?.name ?? null,
      email: owner?.email ?? null,
    }
  }
  return {
    count: rows,
    missing: mapEntries(missing, rowToJson),
    other_size: mapEntries(otherSize, (row) => ({ ...rowToJson(row), object_size: row.objectSize })),
    unknown: mapEntries(unknown, (row) => ({ ...rowToJson(row), problem: row.problem })),
  }
}

const mapEntries = <T, R>({ count, first }: Entries<T>, toJson: (entry: T) => R): Entries<R> => ({
  count,
  first: first.map(toJson),
})
