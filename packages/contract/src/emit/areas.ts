import { areaTexts, type AreaName, type AreaText } from '../areas/index.js'
import { areaOf, isEventStream, type Operation } from '../operation.js'
import { groupBy } from '../group-by.js'

export interface AreaGroup extends AreaText {
  readonly area: string
  readonly operations: readonly Operation[]
}

/** Groups operations by area, in their order. */
export function byArea(operations: readonly Operation[]): AreaGroup[] {
  return [...groupBy(operations, areaOf)].map(([area, members]) => ({ area, ...textOf(area), operations: members }))
}

/** Without streams of events, because a model waits for the end of an answer, and without what people set up. */
export const forModels = (operations: readonly Operation[]): readonly Operation[] =>
  operations.filter((op) => !isEventStream(op) && op.forPeople !== true)

/** The console's own areas are in no document that shows titles. */
const textOf = (area: string): AreaText =>
  area in areaTexts ? areaTexts[area as AreaName] : { title: area, description: '' }
