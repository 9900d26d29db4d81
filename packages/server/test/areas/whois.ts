import type { AreaParts } from './area-parts.js'

export const whoisParts: AreaParts = {
  setUps: {
    'whois.lookup': {
      missing: { query: { domain: 'unregistered.example' } },
      rules: /^domain must be (an|the) apex domain/,
    },
  },
}
