import { openErrorCodes } from '../errors.js'
import { areaOf, type Operation } from '../operation.js'
import { byArea } from './areas.js'
import { groupBy } from '../group-by.js'
import { addedFields, openMarks, type OpenMark } from './open-marks.js'
import { commonRules } from './open-details-common.js'

/**
 * The text of docs/open-details.md, from the marks in the contract.
 * A choice that several areas share is listed once. The additions are at the end.
 */
export function openDetails(operations: readonly Operation[]): string {
  const reasons = groupBy(operations.flatMap(openMarks), (mark) => mark.why)
  const areasOf = (why: string) => new Set(reasons.get(why)?.map((mark) => areaOf(mark.op)))
  const shared = [...reasons].filter(([why]) => areasOf(why).size > 1)
  const sections = byArea(operations).map(({ area, title }) => {
    const own = [...reasons].filter(([why]) => areasOf(why).size === 1 && areasOf(why).has(area))
    return own.length > 0 ? `\n## ${title}\n\n${own.map(reasonItem).join('')}` : ''
  })
  return [
    commonRules(errorItems()),
    shared.length > 0 ? sharedHead : '',
    ...shared.map(reasonItem),
    ...sections,
    additions(operations),
  ].join('')
}

const additionsHead = `
## Additions

The specification lacks these operations and fields. Its section 9 allows additions; in the OpenAPI document, they have the
annotation \`x-svc-addition\`.

`

function additions(operations: readonly Operation[]): string {
  const items = operations.flatMap((op) => {
    const fields = addedFields(op)
    return op.addition || fields.length > 0 ? [`- ${placeOf(op, fields)}\n`] : []
  })
  return items.length > 0 ? additionsHead + items.join('') : ''
}

const sharedHead = `
### Choices that several areas share

`

const errorItems = () => Object.entries(openErrorCodes).map(([code, why]) => `\`${code}\`: ${why}`)

/** A choice and the places where it applies: one line for each operation. */
function reasonItem([why, marks]: [string, OpenMark[]]): string {
  const places = [...groupBy(marks, (mark) => mark.op)].map(([op, own]) => {
    return `  - ${placeOf(op, [...new Set(own.map((mark) => mark.path))].filter(Boolean))}\n`
  })
  return `- ${why}\n${places.join('')}`
}

const placeOf = ({ method, path }: Operation, fields: readonly string[]): string =>
  `\`${method} ${path}\`${fields.length > 0 ? ` → ${fields.map((field) => `\`${field}\``).join(', ')}` : ''}`
