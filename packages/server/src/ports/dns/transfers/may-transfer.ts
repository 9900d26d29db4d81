import { isPartOfZone } from '../../../shared/rules.js'
import type { Signer } from '../protocol/messages.js'

/** What the permission for a zone depends on. */
export interface TransferredZone {
  readonly name: string
  /** Id of the account with the verified claim; null while the zone is released. */
  readonly holder: number | null
}

const readScopes = new Set(['*', 'dns:read', 'dns:write'])

/** Whether a key with these scopes may transfer a zone at all. */
export const mayReadZones = (scopes: readonly string[]): boolean => scopes.some((scope) => readScopes.has(scope))

/**
 * Whether a key may transfer a zone. The operator's keys and clients on this machine may transfer every zone. The key of an account may
 * transfer the account's zones, unless its rules leave out a part of the zone.
 */
export function mayTransfer(signer: Signer, { name, holder }: TransferredZone): boolean {
  switch (signer.kind) {
    case 'operator':
    case 'loopback':
      return true
    case 'account': {
      const { account, scopes } = signer.caller
      return holder === account.id && mayReadZones(scopes) && !isPartOfZone(account.rules, name)
    }
    case 'none':
      return false
  }
}

/** Whether a key may transfer all zones, and so see their list. */
export const mayTransferAll = ({ kind }: Signer): boolean => kind === 'operator' || kind === 'loopback'

/** Transfers of the same client: they have a limit. All keys of an account are one client. */
export function clientOf(signer: Signer): string {
  switch (signer.kind) {
    case 'account':
      return `account ${String(signer.caller.account.id)}`
    case 'operator':
      return `operator ${signer.name}`
    default:
      return signer.kind
  }
}
