import { areaOf, operations, type AreaName, type Operation } from '@svc/contract'

/** The areas that have a room in this house. The others are declared in the contract and nowhere else to be seen. */
export const implementedAreas = ['catalogue', 'public', 'account', 'dns'] as const satisfies readonly AreaName[]

export type ImplementedArea = (typeof implementedAreas)[number]

const isImplemented = (op: Operation) => implementedAreas.some((area) => area === areaOf(op))

/** What is mounted, listed and documented, in the order of the catalogue. */
export const implementedOperations: readonly Operation[] = operations.filter(isImplemented)

/** What the contract declares and no area does yet. */
export const missingOperations: readonly Operation[] = operations.filter((op) => !isImplemented(op))
