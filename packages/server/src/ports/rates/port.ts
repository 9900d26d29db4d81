/** Exchange rates as they stood at one moment. */
export interface UsdRates {
  /** When they were fetched, in milliseconds since the epoch; for the bundled rates, the start of their own day. */
  readonly fetchedAt: number
  /** ISO 4217 code to how much of it one US dollar buys, in alphabetical order; USD is among them, at 1. */
  readonly perUsd: ReadonlyMap<string, number>
}

export interface CurrentRates {
  readonly rates: UsdRates
  /** Whether they were at hand: false for an answer that waited for a fetch which brought them. */
  readonly cached: boolean
}

/**
 * The exchange rates of the hour. Always answers, and within three seconds: where the source is slow, down or talks
 * nonsense, with the last good rates as they are, under the time they were fetched at. Never touches the network
 * before it is first asked.
 */
export interface Rates {
  current(): Promise<CurrentRates>
}
