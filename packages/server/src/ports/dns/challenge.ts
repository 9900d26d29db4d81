/** The names at which the TXT value of a contested claim must be published (specification, section 3). */

/** The first label of every challenge. */
export const challengeLabel = '_svcdns-verify'

export const challengeName = (zone: string): string => `${challengeLabel}.${zone}`

/**
 * Whether a host is the name of a challenge. Only a TXT record at the name itself is a proof: with an alias, a wildcard or a delegation
 * there, the zone would go to the account that controls its target.
 */
export const isChallengeHost = (host: string): boolean =>
  host === challengeLabel || host.startsWith(`${challengeLabel}.`)
