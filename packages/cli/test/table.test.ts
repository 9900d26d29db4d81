import { expect, it, vi } from 'vitest'
import { jsonListText, mapPages, tableText } from '../src/table.js'

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

it.each([
  [
    'aligned columns, without spaces at the end',
    [
      [
        ['1', 'Ada'],
        ['10', ''],
      ],
    ],
    'id  name\n1   Ada\n10\n',
  ],
  [
    'wide characters',
    [
      [
        ['漢字', 'x'],
        ['e\u0301', 'y'],
      ],
    ],
    'id    name\n漢字  x\né     y\n'.normalize('NFD'),
  ],
  ['control characters, escaped', [[['\u001b[2J', 'x']]], 'id         name\n\\u{1b}[2J  x\n'],
  ['a later page with a longer cell', [[['1', 'a']], [['1000', 'b']]], 'id  name\n1   a\n1000  b\n'],
  ['a list without rows', [[]], 'id  name\n'],
  ['a list without pages', [], ''],
])('prints a table: %s', async (_, pages, text) => {
  expect(await textOf(tableText(['id', 'name'], pages))).toBe(text)
})

it.each([
  ['no pages', []],
  ['empty pages', [[]]],
  ['several pages', [[{ a: 'x\ny' }], [{ a: [1, 2] }, { a: { b: null } }]]],
])('a JSON list is that of JSON.stringify: %s', async (_, pages: object[][]) => {
  expect(await textOf(jsonListText(pages))).toBe(`${JSON.stringify(pages.flat(), null, 2)}\n`)
})

it.each([
  [[[]], [], 1],
  [[[1], [], [2, 3]], [['1'], ['2', '3']], 0],
])('pages %j: converts the items, and notices the end of a list without items', async (pages, converted, count) => {
  const onEmpty = vi.fn()
  const found: string[][] = []
  for await (const page of mapPages<number, string>(pages, String, onEmpty)) found.push(page)
  expect(found).toEqual(converted)
  expect(onEmpty).toHaveBeenCalledTimes(count)
})

// The former library took ten minutes for them.
it('100,000 rows take less than five seconds', async () => {
  const page = Array.from({ length: 1_000 }, (_, id) => [String(id), `user${String(id)}@example.com`, '2026-01-01'])
  const from = process.cpuUsage()
  const text = await textOf(
    tableText(
      ['id', 'email', 'created'],
      Array.from({ length: 100 }, () => page),
    ),
  )
  expect(text.length).toBeGreaterThan(3_000_000)
  expect(process.cpuUsage(from).user / 1000).toBeLessThan(5_000)
})
