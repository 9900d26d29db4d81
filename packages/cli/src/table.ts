import stringWidth from 'string-width'
import { escapeJson, escapeLine } from '@svc/server'

/** Rows of a long list, some at a time, so that the whole list is never in memory. */
export type Pages<T> = AsyncIterable<readonly T[]> | Iterable<readonly T[]>

const gap = '  '

/**
 * Aligned columns under a head. The first page decides their widths: a longer cell of a later page moves the rest of its line.
 * Cells cannot control a terminal: they are escaped. A list without a page has no head.
 */
export async function* tableText(head: readonly string[], pages: Pages<readonly string[]>): AsyncGenerator<string> {
  let widths: readonly number[] | undefined
  for await (const page of pages) {
    const rows = page.map((row) => row.map(escapeLine))
    const lines = widths === undefined ? [head, ...rows] : rows
    widths ??= head.map((_, column) => Math.max(...columnWidths(lines, column)))
    yield formatLines(lines, widths)
  }
}

const columnWidths = (lines: readonly (readonly string[])[], column: number): number[] =>
  lines.map((line) => widthOf(line[column] ?? ''))

function formatLines(lines: readonly (readonly string[])[], widths: readonly number[]): string {
  const padded = (cell: string, column: number) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell)))
  return lines.map((line) => `${line.map(padded).join(gap).trimEnd()}\n`).join('')
}

/** The columns of a terminal that a text takes. Most texts are ASCII, for which this is ten times as fast. */
const widthOf = (text: string): number => (/^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text))

/** A JSON list, indented like `JSON.stringify(list, null, 2)`. */
export async function* jsonListText(pages: Pages<unknown>): AsyncGenerator<string> {
  let before = '[\n'
  for await (const page of pages) {
    if (page.length === 0) continue
    // Not by a regular expression: for it, a line also starts after U+2028, which JSON texts may contain.
    const items = page.map((item) => `  ${JSON.stringify(item, null, 2).replaceAll('\n', '\n  ')}`)
    yield escapeJson(`${before}${items.join(',\n')}`)
    before = ',\n'
  }
  yield before === ',\n' ? '\n]\n' : '[]\n'
}

/** Converts the items of each page that has some. @param onEmpty called at the end of a list without items */
export async function* mapPages<T, R>(
  pages: Pages<T>,
  convert: (item: T) => R,
  onEmpty?: () => void,
): AsyncGenerator<R[]> {
  let isEmpty = true
  for await (const page of pages) {
    if (page.length === 0) continue
    isEmpty = false
    yield page.map(convert)
  }
  if (isEmpty) onEmpty?.()
}
