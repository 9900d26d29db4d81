import type { AreaParts } from './area-parts.js'

export const publicParts: AreaParts = {
  setUps: {
    // ISO 4217 reserves XTS for tests: no source has a rate for it.
    'public.fx': { missing: { query: { symbols: 'XTS' } }, rules: /^(base|symbols) must be .*ISO 4217/ },
    'public.hash': { rules: /^value must have at most 8192 bytes/ },
  },
}
