import type { AccountKeyStore } from '../../../ports/dns/protocol/messages.js'
import { mayReadZones } from '../../../ports/dns/transfers/may-transfer.js'
import type { AreReachable } from '../../../ports/outbound/public-networks.js'
import { timestamp } from '../../../shared/timestamp.js'
import { noAnswer, type Secondary } from './secondary.js'

type State = 'waiting' | 'ready' | 'told' | 'refused' | 'failing' | 'stopped'

export interface PresenterDependencies {
  readonly keys: Pick<AccountKeyStore, 'forAddress'>
  readonly areReachable: AreReachable
  /** Whether the nameserver of svc serves the zones. */
  readonly isServing: boolean
}

const timeOrNull = (time: number | null) => (time === null ? null : timestamp(time))

/** The secondaries of an account as JSON, each with its state. */
export const secondaryPresenter = (dependencies: PresenterDependencies) => async (secondary: Secondary) => {
  const { id, address, port, tokenId, keyName, createdAt, provenAt, toldAt, toldZone, answer } = secondary
  const problem = await problemOf(secondary, dependencies)
  const [state, note] = problem === undefined ? stateOf(secondary) : (['stopped', problem] as const)
  return {
    ...{ id, address, port, key_id: tokenId, key_name: keyName, state, note },
    created_at: timestamp(createdAt),
    proven_at: timeOrNull(provenAt),
    told_at: timeOrNull(toldAt),
    told_zone: toldZone,
    answer,
  }
}

/** Why svc must not tell a secondary about anything now. */
async function problemOf(
  { address, tokenId, keyName }: Secondary,
  { keys, areReachable, isServing }: PresenterDependencies,
): Promise<string | undefined> {
  if (!isServing) return byPowerDns
  if (keyName === null) return 'Its key was revoked: delete it, and add it again with another key.'
  if (!areReachable(address)) return `The operator does not allow messages to ${address} (SVC_OUTBOUND_ALLOW).`
  const found = await keys.forAddress(tokenId, address)
  if (found === undefined) return `Its key does not work now: it is paused, has ended, or is not for ${address}.`
  if (!mayReadZones(found.caller.scopes)) return 'Its key needs the scope dns:read.'
  return undefined
}

/** The zones are not those of the nameserver that would tell about them. */
export const byPowerDns = 'PowerDNS serves the zones here, and tells secondaries itself (docs/secondaries.md).'

function stateOf({ address, port, keyName, provenAt, toldZone, answer }: Secondary): readonly [State, string] {
  if (provenAt === null)
    return ['waiting', `Waiting for a signed transfer from ${address} over TCP, with the key ${keyName ?? ''}.`]
  switch (answer) {
    case null:
      return ['ready', `${address} has proven that it has the key, and is told about the next change.`]
    case 'NOERROR':
      return ['told', `${address} has been told about ${toldZone ?? ''}.`]
    case noAnswer:
      return ['failing', `Port ${String(port)} of ${address} does not answer NOTIFY over UDP.`]
    default:
      return [
        'refused',
        `${address} answered ${answer} to NOTIFY for ${toldZone ?? ''}: it does not have the zone, or refuses the key.`,
      ]
  }
}
