import { acceptedScopes, ApiError, badRequest, eventScopeOf } from '@svc/contract'
import { eventAreas, type EventArea } from '@svc/contract/events'
import type { Caller } from '../../shared/account.js'

const areaSet: ReadonlySet<string> = new Set(eventAreas)
const isArea = (name: string): name is EventArea => areaSet.has(name)

/** The areas of a comma-separated list. @throws ApiError */
export function listedAreas(list: string): readonly EventArea[] {
  const names = list.split(',')
  const areas = names.filter(isArea)
  if (areas.length < names.length)
    throw badRequest('area', `must be one or more of ${eventAreas.join(', ')}, separated by commas`)
  return areas
}

/** Those of the areas whose events the scopes of a caller can read. */
export const readableAreas = (areas: readonly EventArea[], { scopes }: Pick<Caller, 'scopes'>): Set<EventArea> =>
  new Set(
    areas.filter((area) => {
      const accepted = acceptedScopes([eventScopeOf(area)])
      return scopes.some((scope) => scope === '*' || accepted.some((one) => one === scope))
    }),
  )

/** @throws ApiError `forbidden_scope` if the scopes of the caller cannot read one of the areas */
export function requireReadable(areas: readonly EventArea[], caller: Pick<Caller, 'scopes'>): void {
  const readable = readableAreas(areas, caller)
  const missing = areas.find((area) => !readable.has(area))
  if (missing === undefined) return
  const required = acceptedScopes([eventScopeOf(missing)])
  throw new ApiError('forbidden_scope', `Events of ${missing} need one of the scopes ${required.join(', ')}.`, {
    required_scopes: required,
    token_scopes: caller.scopes,
  })
}
