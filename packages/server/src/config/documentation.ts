import { allSettings } from './settings.js'

/** All settings as a Markdown table, for docs/operating.md. */
export function settingsTable(): string {
  const code = (text: string) => `\`${text}\``
  const rows = allSettings.map(({ env, flag, placeholder, description, shownDefault }) => [
    code(env),
    code(`--${flag} ${placeholder}`),
    isValue(shownDefault) ? code(shownDefault) : shownDefault || 'none',
    escapeCell(description),
  ])
  return table([['Variable', 'Flag', 'Default', 'What it sets'], ...rows])
}

/** Rather than words about what happens where nothing is set. */
const isValue = (shownDefault: string): boolean =>
  shownDefault.includes('<') || (!['', 'none', 'off'].includes(shownDefault) && !shownDefault.includes(' '))

/** `<…>` outside of code would be taken for HTML. */
const escapeCell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('<', String.raw`\<`)

/** Padded, as Prettier leaves it. */
function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[], fill: string) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, fill)).join(' | ')} |`
  return [line(head, ' '), line([], '-'), ...rows.map((row) => line(row, ' '))].join('\n')
}
