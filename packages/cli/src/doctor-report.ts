import {
  counted,
  type BlobOwner,
  type BlobRow,
  type Finding,
  type RowFindings,
  type Section,
  type StoredFiles,
} from '@svc/server'

type Owners = ReadonlyMap<string, BlobOwner>

const statusWidth = 'warning'.length

/** The findings of one section under its title. @param titles of the sections */
export function findingLines(findings: readonly Finding[], titles: Readonly<Record<Section, string>>): string[] {
  const [first] = findings
  if (first === undefined) return []
  const indent = ' '.repeat(statusWidth + 4)
  return [
    titles[first.section],
    ...findings.flatMap(({ status, message, remedy, details = [] }) => [
      `  ${status.padEnd(statusWidth)}  ${message}`,
      ...details.map((detail) => `${indent}  ${detail}`),
      ...(remedy === undefined ? [] : [`${indent}${remedy}`]),
    ]),
  ]
}

/** Whether there is no error, and a sentence about it. */
export function summaryOf(findings: readonly Finding[]): { isWell: boolean; text: string } {
  const errors = findings.filter(({ status }) => status === 'error').length
  const warnings = findings.filter(({ status }) => status === 'warning').length
  const found = [counted(errors, 'error'), counted(warnings, 'warning')].filter((text) => !text.startsWith('0 '))
  return {
    isWell: errors === 0,
    text: found.length === 0 ? 'All is well.' : `svc doctor has found ${found.join(' and ')}.`,
  }
}

interface Entries<T> {
  readonly count: number
  readonly first: readonly T[]
}

/** The comparison of the stored files; null for what could not be compared. */
export const storedFilesToJson = ({ rows, objects, owners }: StoredFiles = nothingCompared) => ({
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

const nothingCompared: StoredFiles = { rows: undefined, objects: undefined, owners: new Map() }

function rowsToJson({ rows, missing, otherSize, unknown }: RowFindings, owners: Owners) {
  const rowToJson = ({ key, size }: BlobRow) => {
    const owner = owners.get(key)
    return { key, size, kind: owner?.kind ?? null, name: owner?.name ?? null, email: owner?.email ?? null }
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
