import type { TokenScope } from '@svc/contract'
import { badRequest } from '@svc/contract/errors'
import { updateHostOf, type Rules } from '../../../shared/rules.js'

interface Narrowed {
  readonly scopes: readonly TokenScope[]
  readonly limits: { readonly rules: Rules | null }
}

/**
 * An update key changes the addresses of one host: its token must name it, and may change its records.
 * @param field of the request: `update_key` of a new token, the changed field of an existing one
 * @throws ApiError `bad_request`
 */
export function requireUpdateHost(field: 'update_key' | 'scopes' | 'rules', { scopes, limits }: Narrowed): void {
  const verb = field === 'update_key' ? 'needs' : 'must have'
  if (!scopes.includes('dns:write') && !scopes.includes('*'))
    throw badRequest(field, `${verb} the scope dns:write: the update key of the token changes records`)
  if (updateHostOf(limits.rules ?? undefined) === undefined)
    throw badRequest(
      field,
      `${verb} one rule of a zone, with access write and one host without an asterisk: the update key of the token changes its addresses`,
    )
}
