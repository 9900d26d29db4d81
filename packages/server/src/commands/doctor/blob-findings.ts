import type { BlobOwner, BlobOwners, BlobRow, ObjectFindings, RowFindings } from '../../ports/blobs/inspect.js'
import { counted } from '../../shared/counted.js'
import type { Report, Status } from './finding.js'

/** Findings about the comparison of rows and objects. */

export function reportRows({ missing, otherSize, unknown }: RowFindings, owners: BlobOwners, report: Report): void {
  const describe = ({ key, size }: BlobRow) => `${key}: ${size} bytes of ${ownerText(owners.get(key))}`
  reportEntries(report, 'error', missing, {
    sentence: (count) => `${counted(count, 'row')} ${has(count)} no object.`,
    remedy: 'Restore it from a backup, or tell the owner that the bytes are lost.',
    describe,
  })
  reportEntries(report, 'error', otherSize, {
    sentence: (count) => `${counted(count, 'row')} ${has(count)} an object of another size.`,
    remedy: 'Restore it from a backup, or tell the owner that the bytes are lost.',
    describe: (row) => `${describe(row)}, but ${row.objectSize} stored`,
  })
  reportEntries(report, 'error', unknown, {
    sentence: (count) => `${counted(count, 'row')} ${has(count)} an object that cannot be checked.`,
    remedy: 'Check the disk or the provider.',
    describe: (row) => `${describe(row)}. ${row.problem}`,
  })
}

/**
 * @param isOwned whether the store belongs to this installation already
 * @param removalOf the command that removes objects
 */
export function reportObjects(
  rows: number,
  found: ObjectFindings,
  { isOwned, removalOf }: { readonly isOwned: boolean; readonly removalOf: (keys: readonly string[]) => string },
  report: Report,
): void {
  const removal = isOwned ? 'within about an hour' : 'once a first upload has given the store to this installation'
  report('ok', `Checked ${counted(rows, 'row')} and ${counted(found.objects, 'object')}.`)
  const note = (status: Status, entries: Entries<string>, what: string, remedy?: string) => {
    const sentence = (count: number) => `${counted(count, 'object')} ${has(count)} ${what}`
    reportEntries(report, status, entries, { sentence, remedy, describe: String })
  }
  note('ok', found.uploading, 'no row yet: a running process has stored them.')
  note(
    'warning',
    found.orphans,
    'no row: their process was ended before it could remove them.',
    `A running server removes them ${removal}. If none runs, start it: svc serve.`,
  )
  note(
    'warning',
    found.laterState,
    'no row here, but another copy of the database may have one, for example from before a restore: svc leaves them alone.',
    `If you do not need that copy, delete them: ${removalOf(found.laterState.first)}`,
  )
  note('ok', found.otherNames, 'a name that svc did not make: svc leaves them alone.')
}

interface Entries<T> {
  readonly count: number
  readonly first: readonly T[]
}

interface Text<T> {
  readonly sentence: (count: number) => string
  readonly remedy?: string | undefined
  readonly describe: (entry: T) => string
}

/** Nothing for no entries. */
function reportEntries<T>(report: Report, status: Status, { count, first }: Entries<T>, text: Text<T>): void {
  if (count === 0) return
  const more = count - first.length
  report(status, text.sentence(count), text.remedy, [
    ...first.map(text.describe),
    ...(more > 0 ? [`and ${more} more`] : []),
  ])
}

const has = (count: number): string => (count === 1 ? 'has' : 'have')

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
