import { boundedFetch } from '../bounded-fetch.js'
import type { UsdRates } from './port.js'
import { usdRatesOf } from './usd-rates.js'

/** The usual answer has 6 kB. */
const maxBytes = 256 * 1024

/**
 * Fetches the current rates.
 * @param deadlineMs milliseconds for the whole exchange
 * @throws Error if the source cannot be reached, does not answer 200, or its answer is too long or has no valid rates
 */
export async function fetchRates(url: string, deadlineMs: number): Promise<UsdRates['perUsd']> {
  const { status, text } = await boundedFetch(url, {
    deadlineMs,
    maxBytes,
    // Package sources redirect to a version, and the request contains no secret.
    redirects: 'follow',
    headers: { accept: 'application/json' },
  })
  if (status !== 200) throw new Error(`The source answered ${status}.`)
  return usdRatesOf(JSON.parse(text))
}
