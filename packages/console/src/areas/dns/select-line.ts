/** Selects a line of a text area whose lines do not wrap, and scrolls to it. @param line from 1 */
export function selectLine(area: HTMLTextAreaElement | null, line: number): void {
  if (area === null) return
  const lines = area.value.split('\n')
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0)
  area.focus()
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
  // The line is the second one in view, or the nearest to it.
  area.scrollTop = (area.scrollHeight / lines.length) * Math.max(0, line - 2)
  area.scrollLeft = 0
}
