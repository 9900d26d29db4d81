import { areaOf, type Operation } from '../operation.js'
import { operations, type AreaName } from './index.js'

/**
 * The areas that the server implements. Others are declared in the contract only: they are not mounted, not documented
 * and not on the command line. The typed client has all areas.
 */
export const implementedAreas = [
  'catalogue',
  'public',
  'account',
  'dns',
  'cred',
  'files',
  'cdn',
  'deployments',
  'sites',
  'packages',
  'sms',
] as const satisfies readonly AreaName[]

export type ImplementedArea = (typeof implementedAreas)[number]

const isImplemented = (op: Operation) => implementedAreas.some((area) => area === areaOf(op))

/** The operations that the server mounts and documents, in the order of the catalogue. */
export const implementedOperations: readonly Operation[] = operations.filter(isImplemented)

/** The operations that are declared and not implemented yet. */
export const missingOperations: readonly Operation[] = operations.filter((op) => !isImplemented(op))
