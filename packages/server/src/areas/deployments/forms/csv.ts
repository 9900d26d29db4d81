import { stringify } from 'csv-stringify/sync'
import type { Page } from '../../../shared/page.js'
import { timestamp } from '../../../shared/timestamp.js'
import type { turns } from '../../../shared/turns.js'
import type { Submission } from './fields.js'
import type { StoredSubmission } from './submission-store.js'

/** Reads a page of submissions. @param before exclusive */
type ReadPage = (before: number) => Promise<Page<StoredSubmission>>

/** Fields beyond these have one column together: visitors choose the names of the fields that they send. */
const columnsMax = 200

/** Lines that are formatted in one turn of the event loop: 100 lines of 200 columns take tens of milliseconds. */
const linesOf = (names: readonly string[]): number => (names.length > 50 ? 20 : 100)

const fixedColumns = ['id', 'received_at', 'network', 'user_agent', 'subject']
const otherFields = 'other_fields'

/**
 * The submissions of a form as CSV (RFC 4180), newest first, page by page. They are read twice, because the first line names the
 * fields of all. Fields of submissions that arrive in the meantime may be in the last column.
 * @param inTurn shared by all exports: each turn of the event loop formats a piece of one of them
 */
export async function* submissionsToCsv(readPage: ReadPage, inTurn: ReturnType<typeof turns>): AsyncGenerator<string> {
  const names = await readNames(readPage)
  // Without the mark, Excel reads the file in the encoding of the system.
  yield `\uFEFF${toLines([[...fixedColumns, ...names, otherFields]])}`
  const lines = linesOf(names)
  for await (const page of pages(readPage))
    for (let start = 0; start < page.length; start += lines) {
      const piece = page.slice(start, start + lines)
      yield inTurn(async () => toLines(piece.map((submission) => toRow(submission, names))))
    }
}

async function readNames(readPage: ReadPage): Promise<readonly string[]> {
  const names = new Set<string>()
  for await (const page of pages(readPage)) {
    for (const { fields } of page) for (const name of Object.keys(parse(fields))) names.add(name)
    if (names.size >= columnsMax) break
  }
  return [...names].slice(0, columnsMax)
}

async function* pages(readPage: ReadPage): AsyncGenerator<readonly StoredSubmission[]> {
  let next: number | null = Number.MAX_SAFE_INTEGER
  while (next !== null) {
    const page: Page<StoredSubmission> = await readPage(next)
    yield page.entries
    ;({ next } = page)
  }
}

function toRow({ id, receivedAt, network, userAgent, subject, fields }: StoredSubmission, names: readonly string[]) {
  // Not an object: a field may be called `constructor`.
  const others = new Map(Object.entries(parse(fields)))
  const values = names.map((name) => {
    const value = others.get(name) ?? ''
    others.delete(name)
    return typeof value === 'string' ? value : value.join(', ')
  })
  const rest = others.size > 0 ? JSON.stringify(Object.fromEntries(others)) : ''
  return [String(id), timestamp(receivedAt), network, userAgent, subject ?? '', ...values, rest]
}

const parse = (fields: string) => JSON.parse(fields) as Submission['fields']

// Spreadsheets end a row at a lone CR or LF, and a formula could follow. By default, csv-stringify quotes only values with CRLF.
const toLines = (rows: readonly (readonly string[])[]): string =>
  stringify([...rows], { escape_formulas: true, record_delimiter: 'windows', quoted_match: /[\r\n]/ })
