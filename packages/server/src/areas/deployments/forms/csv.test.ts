import { expect, it } from 'vitest'
import type { Page } from '../../../shared/page.js'
import { turns } from '../../../shared/turns.js'
import { submissionsToCsv } from './csv.js'
import type { StoredSubmission } from './submission-store.js'

const submission = (id: number, fields: object, subject: string | null = null): StoredSubmission => ({
  id,
  receivedAt: 0,
  network: '192.0.2.0/24',
  userAgent: 'x',
  subject,
  fields: JSON.stringify(fields),
})

/** The pieces of the CSV of submissions. */
function toPieces(pageSize: number, all: readonly StoredSubmission[]) {
  const readPage = (before: number): Promise<Page<StoredSubmission>> => {
    const rest = all.filter(({ id }) => id < before)
    return Promise.resolve({
      entries: rest.slice(0, pageSize),
      next: rest.length > pageSize ? (rest[pageSize - 1]?.id ?? null) : null,
    })
  }
  return submissionsToCsv(readPage, turns())
}

/** The CSV of submissions in pages of two. */
async function toCsv(...all: StoredSubmission[]): Promise<string> {
  let text = ''
  for await (const piece of toPieces(2, all)) text += piece
  return text
}

const linesOf = async (...all: StoredSubmission[]) => (await toCsv(...all)).split('\r\n')
const fixed = '1970-01-01T00:00:00.000Z,192.0.2.0/24,x'

it('has a column for each field of any submission, and those of objects are fields too', async () => {
  expect(
    await linesOf(
      submission(3, { a: '1', constructor: 'c' }, 'Hi'),
      submission(2, { b: ['x', 'y'] }),
      submission(1, { a: 'say "hi",\nyou', ['c d']: 'ü' }),
    ),
  ).toEqual([
    '\uFEFFid,received_at,network,user_agent,subject,a,constructor,b,c d,other_fields',
    `3,${fixed},Hi,1,c,,,`,
    `2,${fixed},,,,"x, y",,`,
    `1,${fixed},,"say ""hi"",\nyou",,,ü,`,
    '',
  ])
})

it.each(['x\n=2', 'x\r=2', '\n=1', '\t\n=2'])('a line break in a value begins no row: %j', async (value) => {
  expect(await toCsv(submission(1, { a: value }))).toMatch(/,"'?[^"]*"(?:,[^,]*)?\r\n$/)
})

it('without a submission, it has the names of the columns', async () => {
  expect(await linesOf()).toEqual(['\uFEFFid,received_at,network,user_agent,subject,other_fields', ''])
})

it.each([
  '=1+1',
  '=HYPERLINK("https://evil.example","x")',
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1+1',
  '\r=1+1',
  '＝1+1',
  '＋1+1',
  '－1+1',
  '＠SUM(A1)',
])('%j is not run as a formula, as a value, a name or a subject', async (formula) => {
  const csv = await toCsv(submission(1, { [formula]: formula, list: [formula, 'x'] }, formula))
  const quoted = `'${formula}`.replaceAll('"', '""')
  // In the header, as the subject and the value, and at the start of the list.
  expect(csv.split(quoted)).toHaveLength(5)
  expect(csv.split(formula.replaceAll('"', '""'))).toHaveLength(5)
})

it('fields beyond 200 have one column together', async () => {
  const fields = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${String(i)}`, 'x']))
  const more = Object.fromEntries(Object.keys(fields).map((name) => [`g${name}`, 'x']))
  const [header, , , last] = await linesOf(submission(3, fields), submission(2, more), submission(1, { late: '=1' }))
  expect(header?.split(',')).toHaveLength(206)
  expect(last).toMatch(/,"\{""late"":""=1""\}"$/)
})

it.each([
  [50, [1, 100, 100]],
  [51, [1, ...Array.from({ length: 10 }, () => 20)]],
])('with %i columns for fields, the lines of one turn are %j', async (count, expected) => {
  const fields = Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${String(i)}`, 'x']))
  const all = Array.from({ length: 200 }, (_, i) => submission(200 - i, fields))
  const lines: number[] = []
  for await (const piece of toPieces(100, all)) lines.push(piece.split('\r\n').length - 1)
  expect(lines).toEqual(expected)
})
