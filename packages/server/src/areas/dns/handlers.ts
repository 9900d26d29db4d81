import type { Areas } from '@svc/contract'
import type { Database } from '../../db/port.js'
import type { Handlers } from '../../http/handler.js'
import type { Dns } from '../../ports/dns/port.js'
import type { Resolver } from '../../ports/resolver/port.js'
import { adoptionStore } from './claims/adoption-store.js'
import { findCommitted } from './publishing/change-outcome.js'
import { claimHandlers } from './claims/handlers.js'
import { claimStore } from './claims/store.js'
import { recordHandlers } from './records/handlers.js'
import { recordStore } from './records/store.js'
import type { NotGivenBack } from './publishing/provider-writer.js'
import { recordWriter, type Published } from './records/writer.js'
import { requestZoneLock } from './publishing/zone-lock.js'
import type { ZoneStore } from './zones/store.js'

export interface DnsParts {
  readonly database: Database
  readonly dns: Dns
  readonly resolver: Resolver
  readonly zones: ZoneStore
  /** Names for `expected_ns`. */
  readonly nameservers: readonly string[]
  /** How much a zone may hold. */
  readonly recordsMax: number
  readonly zoneBytesMax: number
  /** How many zones an account may claim. */
  readonly zonesMax: number
  /** Whether a zone counts as claimed by the operator. */
  readonly heldByOperator: (zone: string) => boolean
  readonly published: Published
  readonly notGivenBack: NotGivenBack
}

/** Zones and their records (specification, section 4.4). */
export function dnsHandlers(parts: DnsParts): Handlers<Areas['dns']> {
  const { database, dns, resolver, zones, nameservers, heldByOperator, published, notGivenBack } = parts
  const { recordsMax, zoneBytesMax, zonesMax } = parts
  const withZoneLock = requestZoneLock(database.exclusively)
  const records = recordStore(database, { recordsMax, zoneBytesMax })
  const claims = claimStore(database, { zonesMax })
  const zoneContents = (zone: string) => zones.contents(zone)
  return {
    ...claimHandlers({
      ...{ claims, resolver, dns, nameservers, withZoneLock, zones, notGivenBack, heldByOperator },
      adoptions: adoptionStore(database, { recordsMax, zoneBytesMax }),
    }),
    ...recordHandlers(
      records,
      recordWriter({
        ...{ records, dns, zoneContents, withZoneLock, published, notGivenBack },
        findCommitted: (change, deadline) => findCommitted(database, change, deadline),
      }),
    ),
  }
}
