import { openErrorCodes } from '../errors.js'
import { areaOf, type Operation } from '../operation.js'
import { byArea } from './areas.js'
import { groupBy } from '../group-by.js'
import { openMarks, type OpenMark } from './open-marks.js'
import { commonRules } from './open-details-common.js'

/**
 * The text of docs/open-details.md, from the marks in the contract.
 * A choice that several areas share is listed once.
 */
export function openDetails(operations: readonly Operation[]): string {
  const reasons = groupBy(operations.flatMap(openMarks), (mark) => mark.why)
  const areasOf = (why: string) => new Set(reasons.get(why)?.map((mark) => areaOf(mark.op)))
  const shared = [...reasons].filter(([why]) => areasOf(why).size > 1)
  const sections = byArea(operations).map(({ area, title }) => {
    const own = [...reasons].filter(([why]) => areasOf(why).size === 1 && areasOf(why).has(area))
    return own.length > 0 ? `\n## ${title}\n\n${own.map(reasonItem).join('')}` : ''
  })
  return [commonRules(errorItems()), shared.length > 0 ? sharedHead : '', ...shared.map(reasonItem), ...sections].join(
    '',
  )
}

const sharedHead = `
### Choices that several areas share

`

const errorItems = () => Object.entries(openErrorCodes).map(([code, why]) => `\`${code}\`: ${why}`)

/** A choice and the places where it applies: one line for each operation. */
function reasonItem([why, marks]: [string, OpenMark[]]): string {
  const places = [...groupBy(marks, (mark) => mark.op)].map(([op, own]) => {
    const paths = [...new Set(own.map((mark) => mark.path))].filter(Boolean).map((path) => `\`${path}\``)
    return `  - \`${op.method} ${op.path}\`${paths.length > 0 ? ` → ${paths.join(', ')}` : ''}\n`
  })
  return `- ${why}\n${places.join('')}`
}
