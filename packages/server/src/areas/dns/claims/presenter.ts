import type { Areas, Output } from '@svc/contract'
import { timestamp } from '../../../shared/timestamp.js'
import type { Claim } from './claim.js'
import { challengeName } from './proof.js'

/** A claim in the API's answers. @param nameservers those that zones are delegated to */
export const toJson = (claim: Claim, nameservers: readonly string[]) => ({
  zone: claim.zone,
  status: claim.status,
  verification: verificationOf(claim, nameservers),
})

/**
 * Creates a function that writes a claim as JSON: the fields of `toJson`, and its time. Written by hand, in half the time of a serializer.
 * Canonical names, statuses and challenges need no escapes.
 * @param nameservers as in `toJson`
 */
export function claimWriter(nameservers: readonly string[]): (claim: Claim) => string {
  const expected = JSON.stringify(nameservers)
  return ({ zone, status, method, txtValue, createdAt }) => {
    const field = method === 'ns' ? 'verify_method' : 'method'
    const verified = String(status === 'verified')
    const challenge = txtValue === null ? '' : `"name":"${challengeName(zone)}","value":"${txtValue}",`
    const verification = `{"${field}":"${method}","verified":${verified},${challenge}"expected_ns":${expected}}`
    return `{"zone":"${zone}","status":"${status}","verification":${verification},"created_at":"${timestamp(createdAt)}"}`
  }
}

function verificationOf(
  { zone, status, method, txtValue }: Claim,
  nameservers: readonly string[],
): Output<Areas['dns']['zoneGet']>['verification'] {
  return {
    ...(method === 'ns' ? { verify_method: method } : { method }),
    verified: status === 'verified',
    ...(txtValue === null ? {} : { name: challengeName(zone), value: txtValue }),
    expected_ns: [...nameservers],
  }
}

/** The result of a verification. */
export function toVerifyJson({ zone, status }: Claim) {
  const verified = status === 'verified'
  return { zone, status, matched: verified, verified }
}
