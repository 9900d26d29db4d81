import { newShareKey } from '../../areas/files/files/file.js'
import type { ReservedNames } from '../../areas/sites/sites/names.js'
import { randomSlug } from '../../areas/deployments/slug.js'
import type { TableName } from '../../db/account-tables.js'
import type { Reader } from '../../db/port.js'
import { takenValues, type UniqueKind } from './taken-values.js'
import type { RowValues } from './row-values.js'

/** Replaces or leaves out values that must be unique in an installation and are taken here. */
export interface UniqueTerms {
  readonly reader: Reader
  /** Names of sites that no account can have. */
  readonly reservedNames: ReservedNames
  /** Reports a change, in one sentence. */
  readonly note: (change: string) => void
}

type Rows = readonly RowValues[]
type Change = (rows: Rows, terms: UniqueTerms) => Promise<Rows>

/** Calls `change` for each row whose value is taken. @param column of bytes or text, or null for a value that is never taken */
async function changeTaken(
  rows: Rows,
  { kind, column, reader }: { readonly kind: UniqueKind; readonly column: string; readonly reader: Reader },
  change: (row: RowValues, value: string) => Promise<RowValues | undefined> | RowValues | undefined,
  isTaken: (value: string) => boolean = () => false,
): Promise<Rows> {
  const valueOf = (row: RowValues): string | undefined => {
    const value = row[column]
    return Buffer.isBuffer(value) ? value.toString('hex') : (value ?? undefined)?.toString()
  }
  const values = rows.map(valueOf).filter((value) => value !== undefined)
  const taken = await takenValues(reader, kind, values)
  const kept: RowValues[] = []
  for (const row of rows) {
    const value = valueOf(row)
    const isFree = value === undefined || !(taken.has(value) || isTaken(value))
    const changed = isFree ? row : await change(row, value)
    if (changed !== undefined) kept.push(changed)
  }
  return kept
}

/** Leaves out rows whose value is taken. */
const leaveOut =
  (kind: UniqueKind, column: string, describe: (row: RowValues) => string): Change =>
  (rows, { reader, note }) =>
    changeTaken(rows, { kind, column, reader }, (row) => {
      note(`${describe(row)} is left out: it exists in this installation.`)
      return undefined
    })

/** The form of a DNS label. */
const labelMax = 63
const attemptsMax = 1000

/** Appends a number to a name: `blog` becomes `blog-2`. */
const rename =
  (kind: 'site' | 'package', column: string): Change =>
  (rows, { reader, note, reservedNames }) => {
    const names = new Set(rows.map((row) => row[column]))
    const isReserved = (name: string) => kind === 'site' && reservedNames.has(name)
    const isFree = async (name: string) =>
      !names.has(name) && !isReserved(name) && !(await takenValues(reader, kind, [name])).has(name)
    return changeTaken(
      rows,
      { kind, column, reader },
      async (row, name) => {
        for (let number = 2; number < attemptsMax; number++) {
          const suffix = `-${String(number)}`
          const renamed = `${name.slice(0, labelMax - suffix.length)}${suffix}`
          if (!(await isFree(renamed))) continue
          names.add(renamed)
          note(`The ${kind} ${name} is renamed to ${renamed}: its name is taken here.`)
          return { ...row, [column]: renamed }
        }
        throw new Error(`No name is free for the ${kind} ${name}.`)
      },
      isReserved,
    )
  }

const newShareLinks: Change = (rows, { reader, note }) =>
  changeTaken(rows, { kind: 'file', column: 'share_key', reader }, (row) => {
    note(`The file ${String(row['id'])} (${String(row['name'])}) has a new share link: its link is taken here.`)
    return { ...row, share_key: newShareKey() }
  })

const kinds = ['form', 'webhook', 'shortlink'] as const

/** Slugs of deleted deployments are left out: the account could not use them here. */
async function freeSlugs(rows: Rows, { reader }: UniqueTerms): Promise<Rows> {
  const free: RowValues[] = []
  for (const kind of kinds) {
    const ofKind = rows.filter((row) => row['kind'] === kind)
    free.push(...(await changeTaken(ofKind, { kind, column: 'slug', reader }, () => undefined)))
  }
  return free
}

async function newSlugs(rows: Rows, { reader, note }: UniqueTerms): Promise<Rows> {
  const changed: RowValues[] = []
  for (const kind of kinds) {
    const ofKind = rows.filter((row) => row['kind'] === kind)
    // Without the address: that of a webhook is its secret.
    const change = (row: RowValues) => {
      note(`The ${kind} ${String(row['id'])} has a new address: its address is taken here.`)
      return { ...row, slug: randomSlug(kind) }
    }
    changed.push(...(await changeTaken(ofKind, { kind, column: 'slug', reader }, change)))
  }
  return changed
}

/** Changes of rows that have their new ids, by table. */
export const uniqueChanges: Readonly<Partial<Record<TableName, Change>>> = {
  token: leaveOut('token', 'hash', (row) => `The token ${String(row['prefix'])}… (${String(row['name'])})`),
  sms_key: leaveOut(
    'sms_key',
    'hash',
    (row) => `The forwarder key ${String(row['prefix'])}… (${String(row['label'])})`,
  ),
  domain_calendar: leaveOut('domain_calendar', 'hash', () => 'The address of the calendar'),
  site_domain: leaveOut('site_domain', 'host', (row) => `The domain ${String(row['host'])} of a site`),
  site: rename('site', 'name'),
  package: rename('package', 'slug'),
  file: newShareLinks,
  deployment: newSlugs,
  deployment_slug: freeSlugs,
}
