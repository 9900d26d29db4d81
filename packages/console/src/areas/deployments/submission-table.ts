import type { Submission } from './queries.js'

/** What the page of a form computes from its submissions. */

/** A field as one text: a field that was sent more than once has several values. */
export const valueText = (value: string | readonly string[] | undefined): string =>
  typeof value === 'string' ? value : (value ?? []).join(', ')

/** The field with what was written: it is shown even if others are more common. */
const mainField = 'message'

/** The names of the fields that most submissions have, in the order of the newest ones. */
export function commonFields(submissions: readonly Submission[], max: number): string[] {
  const counts = new Map<string, number>()
  for (const { fields } of submissions)
    for (const name of Object.keys(fields)) counts.set(name, (counts.get(name) ?? 0) + 1)
  const kept = new Set(
    Array.from(counts)
      .sort(([one, a], [other, b]) => Number(other === mainField) - Number(one === mainField) || b - a)
      .slice(0, max)
      .map(([name]) => name),
  )
  return Array.from(counts.keys()).filter((name) => kept.has(name))
}

/** The submissions that contain every word of a search, in any field. */
export function found(submissions: readonly Submission[], search: string): readonly Submission[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return submissions
  return submissions.filter(({ fields, subject, network }) => {
    const text = [subject ?? '', network, ...Object.values(fields).map(valueText)].join('\n').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
