import type { UsdRates } from './port.js'
import { usdRatesOf } from './usd-rates.js'

/** The most an answer may weigh, unpacked; the real one is 6 kB. */
const maxBytes = 256 * 1024

/**
 * Fetches the rates of the moment.
 * @param signal ends the request, the body as well
 * @throws whatever went wrong: no connection, no 200, too much, no JSON, no rates
 */
export async function fetchRates(url: string, signal: AbortSignal): Promise<UsdRates['perUsd']> {
  // Redirects are followed: sources of packages use them to name a version, and nothing secret is sent.
  const response = await fetch(url, { signal, headers: { accept: 'application/json' }, redirect: 'follow' })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`The source answered ${response.status}.`)
  }
  return usdRatesOf(JSON.parse(await text(response)))
}

/** The body, unless it is larger than anything sensible: Response.text() would take whatever comes. */
async function text(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the body, and with it the connection.
    if (bytes > maxBytes) throw new Error(`The source answered more than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
