/** What a nameserver counts of its answers, for each zone and for all. */

/** Counts of a zone, in the order of their numbers. */
export const zoneOutcomes = [
  'answers',
  'no_data',
  'nxdomain',
  'referrals',
  'truncated',
  'limited',
  'refused',
  'transfers',
  'updates',
] as const

export type ZoneOutcome = (typeof zoneOutcomes)[number]

/** Counts of all answers: some belong to no zone. */
export const outcomes = [...zoneOutcomes, 'malformed', 'failed'] as const

export type Outcome = (typeof outcomes)[number]

/** Those of messages that the answerer of plain queries does not answer. */
export type HandledOutcome = 'transfers' | 'updates' | 'refused' | 'failed'

/** The number of an outcome: its place in `outcomes`. */
export const outcome = Object.fromEntries(outcomes.map((name, at) => [name, at])) as Readonly<Record<Outcome, number>>

/** What was counted for a zone while an account held it. */
export interface ZoneCounts {
  readonly zone: string
  /** The id of the account. */
  readonly holder: number
  /** By the numbers of `zoneOutcomes`. */
  readonly counts: readonly number[]
}

export interface TotalCount {
  readonly transport: 'udp' | 'tcp'
  readonly outcome: Outcome
  /** Since the start of the process. */
  readonly count: number
}

/** The counts of the nameserver in this process. */
export interface QueryCounts {
  /**
   * Counts a transfer or an update, or one that was refused or failed.
   * @param zone its name; undefined or unknown: only the totals grow
   */
  count(zone: string | undefined, name: HandledOutcome, transport: 'udp' | 'tcp'): void

  /** All answers, those of released and unknown zones included. */
  totals(): readonly TotalCount[]

  /** The counts of held zones since the last call. Those of released zones are only in the totals. */
  take(): readonly ZoneCounts[]

  /** How many zones are served. */
  zones(): number
}
