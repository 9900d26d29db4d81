import {
  areaOf,
  consoleOperations,
  consolePath,
  operations,
  isApiOnly,
  nameOf,
  type AreaName,
  type ConsoleAreas,
  type Operation,
} from '@svc/contract'
import type { Area } from '../http/area.js'
import type { AnyHandler, Handlers } from '../http/handler.js'
import type { Door } from '../http/door.js'
import { ruled } from '../http/ruled.js'
import type { Mounted } from '../http/mount.js'

/** Every area by its name in the contract. */
export type AreaList = { readonly [Name in AreaName]: Area<Name> }

interface Doors {
  /** For the operations of /v1. */
  readonly token: Door
  /** For those of /console/api. */
  readonly session: Door
}

/**
 * The operations of all areas with their doors.
 * @param ofServer operations of the console that belong to no area
 * @throws Error for an operation that the contract declares and no area handles
 */
export function mountedOperations(
  areas: AreaList,
  doors: Doors,
  ofServer: { readonly [A in 'overview' | 'search']: Handlers<ConsoleAreas[A]> },
): Mounted[] {
  const list = Object.entries<Area<AreaName>>(areas)
  const handlers = new Map(list.map(([name, area]) => [name, area.handlers]))
  const consoleHandlers = new Map(
    [ofServer, ...list.map(([, area]) => area.console ?? {})].flatMap((handlersOf) =>
      Object.entries<object>(handlersOf),
    ),
  )
  const names = new Map(list.map(([name, area]) => [name, area.thingNames]))
  return [
    ...operations.map((op) => {
      const handler = ruled(op, handlerOf(op, handlers), names.get(areaOf(op)))
      return { op, path: op.path, door: doors.token, handler }
    }),
    ...operations
      .filter((op) => !isApiOnly(op))
      .map((op) => ({ op, path: consolePath(op.path), door: doors.session, handler: handlerOf(op, handlers) })),
    ...consoleOperations.map((op) => {
      const handler = handlerOf(op, consoleHandlers)
      return { op, path: op.path, door: doors.session, handler }
    }),
  ]
}

function handlerOf(op: Operation, handlers: ReadonlyMap<string, object>): AnyHandler {
  const ofArea = handlers.get(areaOf(op)) as Readonly<Record<string, AnyHandler>> | undefined
  const handler = ofArea?.[nameOf(op)]
  if (handler === undefined) throw new Error(`No area handles the operation ${op.id}.`)
  return handler
}
