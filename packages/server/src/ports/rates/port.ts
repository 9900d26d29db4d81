/** Exchange rates of one moment. */
export interface UsdRates {
  /** When they were fetched, in milliseconds since the epoch. For the bundled rates: the start of their day. */
  readonly fetchedAt: number
  /** From ISO 4217 code to the price of one US dollar in that currency, in alphabetical order. Includes USD, at 1. */
  readonly perUsd: ReadonlyMap<string, number>
}

export interface CurrentRates {
  readonly rates: UsdRates
  /** False if this call waited for a fetch that returned them. */
  readonly cached: boolean
}

/**
 * The exchange rates of the hour. Always answers within three seconds. If the source is slow, down or its answer is invalid,
 * it returns the last valid rates with the time of their fetch. Does not use the network before the first call.
 */
export interface Rates {
  current(): Promise<CurrentRates>
}
