import type { Areas, Output } from '@svc/contract'
import type { Claim } from './claim.js'
import { challengeName } from './proof.js'

/** A claim in the API's answers. @param nameservers those that zones are delegated to */
export const toJson = (claim: Claim, nameservers: readonly string[]) => ({
  zone: claim.zone,
  status: claim.status,
  verification: verificationOf(claim, nameservers),
})

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
