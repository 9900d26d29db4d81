import type { Areas, Output } from '@svc/contract'
import { timestamp } from '../../../shared/timestamp.js'
import type { Claim } from './claim.js'
import { lookUpJson, operatorOnlyNote, unprovenNote } from './explain.js'
import { challengeName } from '../../../ports/dns/challenge.js'
import type { ProofLookUp } from './proof.js'

/** A claim in the API's answers. @param nameservers those that zones are delegated to */
export const toJson = (claim: Claim, nameservers: readonly string[]) => ({
  zone: claim.zone,
  status: claim.status,
  verification: verificationOf(claim, nameservers),
})

/** The same in a page of a list. */
export const toListedJson = (claim: Claim, nameservers: readonly string[]) => ({
  ...toJson(claim, nameservers),
  created_at: timestamp(claim.createdAt),
})

/**
 * Creates a function that writes a claim as JSON: the fields of `toListedJson`. Written by hand, in half the time of a serializer.
 * Canonical names, statuses, challenges and notes need no escapes.
 * @param nameservers as in `toListedJson`
 */
export function claimWriter(nameservers: readonly string[]): (claim: Claim) => string {
  const expected = JSON.stringify(nameservers)
  return ({ zone, status, method, txtValue, createdAt }) => {
    const field = method === 'ns' ? 'verify_method' : 'method'
    const verified = String(status === 'verified')
    const challenge = txtValue === null ? '' : `"name":"${challengeName(zone)}","value":"${txtValue}",`
    const note = noteOf(zone, status)
    const ending = note === undefined ? '' : `,"note":"${note}"`
    const verification = `{"${field}":"${method}","verified":${verified},${challenge}"expected_ns":${expected}${ending}}`
    return `{"zone":"${zone}","status":"${status}","verification":${verification},"created_at":"${timestamp(createdAt)}"}`
  }
}

function verificationOf(
  { zone, status, method, txtValue }: Claim,
  nameservers: readonly string[],
): Output<Areas['dns']['zoneGet']>['verification'] {
  const note = noteOf(zone, status)
  return {
    ...(method === 'ns' ? { verify_method: method } : { method }),
    verified: status === 'verified',
    ...(txtValue === null ? {} : { name: challengeName(zone), value: txtValue }),
    expected_ns: [...nameservers],
    ...(note === undefined ? {} : { note }),
  }
}

const noteOf = (zone: string, status: Claim['status']): string | undefined =>
  status === 'pending' ? operatorOnlyNote(zone) : undefined

/** The result of a verification. @param note why the claim is still pending; undefined for a verified one */
export function toVerifyJson({ zone, status }: Claim, note?: string) {
  const verified = status === 'verified'
  return { zone, status, matched: verified, verified, ...(note === undefined ? {} : { note }) }
}

/** The result of a look-up that did not prove the claim. */
export const toUnprovenJson = (claim: Claim, lookUp: ProofLookUp) => ({
  ...toVerifyJson(claim, unprovenNote(claim.zone, lookUp)),
  lookup: lookUpJson(lookUp),
})
