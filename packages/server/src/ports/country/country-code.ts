/** Two letters that stand for no country: the registries' regions, and the words for "unknown" (ISO 3166-1 leaves them free). */
const noCountries: ReadonlySet<string> = new Set(['AP', 'EU', 'XX', 'ZZ'])

/** ISO 3166-1 alpha-2 in upper case, or null for what is no country's code (Cloudflare's XX and T1 for unknown and Tor). */
export function countryCode(given: string): string | null {
  const code = given.toUpperCase()
  return /^[A-Z]{2}$/.test(code) && !noCountries.has(code) ? code : null
}
