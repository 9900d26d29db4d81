import type { Areas } from '@svc/contract'
import type { Handlers } from '../../http/handler.js'
import type { Countries } from '../../ports/country/port.js'
import { timestamp } from '../../shared/timestamp.js'
import type { Rates } from '../../ports/rates/port.js'
import { addressOf, countryOf } from './address.js'
import { ratesQuery, ratesFor } from './exchange-rates.js'
import { hashOf } from './hash.js'
import { clock, timestampOf } from './time.js'

export interface PublicPorts {
  readonly rates: Rates
  readonly countries: Countries
  /** The header in which the operator's edge names the country, such as `CF-IPCountry`; undefined without such an edge. */
  readonly geoHeader?: string | undefined
}

/** Utilities that need no account (specification, section 4.2). */
export function publicHandlers({ rates, countries, geoHeader }: PublicPorts): Handlers<Areas['public']> {
  const edgeHeader = geoHeader?.toLowerCase()
  return {
    time: clock(),

    timestamp: () => timestampOf(Date.now()),

    ip: (_input, { ip }) => addressOf(ip),

    geo: (_input, context) => countryOf(context, edgeHeader, countries),

    async fx({ query }) {
      const asked = ratesQuery(query)
      const { rates: current, cached } = await rates.current()
      return { base: asked.base, rates: ratesFor(asked, current), fetched_at: timestamp(current.fetchedAt), cached }
    },

    hash: ({ query }) => hashOf(query),
  }
}
