import { areaOf, type Operation } from '../operation.js'
import { operations, type AreaName } from './index.js'

/**
 * The areas that have a room in the server. The others are declared here and nowhere else to be seen: not mounted, not
 * documented, not offered on the command line. The typed client knows them all: it is made from the whole contract.
 */
export const implementedAreas = ['catalogue', 'public', 'account', 'dns'] as const satisfies readonly AreaName[]

export type ImplementedArea = (typeof implementedAreas)[number]

const isImplemented = (op: Operation) => implementedAreas.some((area) => area === areaOf(op))

/** What is mounted, documented and offered, in the order of the catalogue. */
export const implementedOperations: readonly Operation[] = operations.filter(isImplemented)

/** What the contract declares and no area does yet. */
export const missingOperations: readonly Operation[] = operations.filter((op) => !isImplemented(op))
