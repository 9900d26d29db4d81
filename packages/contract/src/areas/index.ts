import type { Operation } from '../operation.js'
import * as account from './account.js'
import * as catalogue from './catalogue.js'
import * as publicArea from './public.js'

/** Every area of the platform, in the order of the catalogue. */
export const areas = { catalogue, public: publicArea, account } as const

export type Areas = typeof areas
export type AreaName = keyof Areas

/** Every operation of /v1, in the order of the catalogue, implemented or not. */
export const operations: readonly Operation[] = Object.values(areas).flatMap((area) => Object.values(area).filter(isOperation))

/** Areas export constants of their rules beside their operations. */
export function isOperation(exported: unknown): exported is Operation {
  return typeof exported === 'object' && exported !== null && 'id' in exported && 'method' in exported
}
