import type { AreaParts } from './area-parts.js'

export const searchParts: AreaParts = { setUps: { 'search.find': { rules: /^q must/ } } }
