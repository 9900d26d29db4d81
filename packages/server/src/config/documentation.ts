import { allSettings } from './settings.js'

/** The Markdown table of all settings in docs/operating.md. */
export function settingsTable(): string {
  const code = (text: string) => `\`${text}\``
  const rows = allSettings.map(({ env, flag, placeholder, description, shownDefault }) => [
    code(env),
    code(`--${flag} ${placeholder}`),
    isValue(shownDefault) ? code(shownDefault) : shownDefault || 'none',
    escapeCell(description),
  ])
  return table([['Variable', 'Flag', 'Default', 'Description'], ...rows])
}

/** Whether the default is a value, not a description such as "the bundled one". */
const isValue = (shownDefault: string): boolean =>
  shownDefault.includes('<') || (!['', 'none', 'off'].includes(shownDefault) && !shownDefault.includes(' '))

/** Escapes `|` and `<`: outside of code, `<…>` would be HTML. */
const escapeCell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('<', String.raw`\<`)

/** A table with padded cells, as the formatter writes it. */
function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[], fill: string) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, fill)).join(' | ')} |`
  return [line(head, ' '), line([], '-'), ...rows.map((row) => line(row, ' '))].join('\n')
}
