import type { Operation } from '../operation.js'
import * as keys from './keys.js'
import * as session from './session.js'

/** What only the console's door offers, beside all of /v1. */
export const consoleAreas = { session, keys } as const

export type ConsoleAreas = typeof consoleAreas

export const consoleOperations: readonly Operation[] = Object.values(consoleAreas).flatMap((area) =>
  Object.values<Operation>(area),
)

/** Where an operation of /v1 stands behind the console's door; the console's own stand there already. */
export const consolePath = (path: string): string => path.replace(/^\/v1(?=\/|$)/, '/console/api')
