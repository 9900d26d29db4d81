/** Codes that are not countries: regions of the registries, and codes for "unknown" (ISO 3166-1 assigns none of them to a country). */
const noCountries: ReadonlySet<string> = new Set(['AP', 'EU', 'XX', 'ZZ'])

/** Parses an ISO 3166-1 alpha-2 code in any case. Null for other text, such as Cloudflare's XX (unknown) and T1 (Tor). */
export function countryCode(given: string): string | null {
  const code = given.toUpperCase()
  return /^[A-Z]{2}$/.test(code) && !noCountries.has(code) ? code : null
}
