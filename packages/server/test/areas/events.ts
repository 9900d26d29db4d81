import type { AreaParts } from './area-parts.js'

export const eventParts: AreaParts = {
  setUps: { 'events.stream': { rules: /^(area must be one or more of|Last-Event-ID must be)/ } },
}
