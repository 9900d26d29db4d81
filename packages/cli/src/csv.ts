/** A spreadsheet takes a text that begins so for a formula. */
const formula = /^[=+\-@\t\r]/

function cell(text: string): string {
  const plain = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** Lines of comma-separated values under a head (RFC 4180). */
export const csvText = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
