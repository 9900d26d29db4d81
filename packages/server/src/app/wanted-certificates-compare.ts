import { namesKeyOf, type NamesKey } from '../ports/certificates/acme/certificate-row-store.js'

/** Compares the certificates that areas want for accounts with those that there are. Pure. */

interface Wanted {
  readonly accountId: number
  readonly zone: string
  readonly site: string | null
  /** Null for the zone and all names one label below it. */
  readonly host: string | null
}

interface Existing {
  readonly id: number
  /** Not null: the server's own are not compared. */
  readonly accountId: number | null
  readonly site: string | null
  readonly names: NamesKey
  readonly wanted: number
  /** Failed orders in a row. */
  readonly failures: number
  /** Milliseconds since the epoch; null before the first order. */
  readonly notAfter: number | null
}

export interface NewCertificate extends Pick<Wanted, 'accountId' | 'zone' | 'site'> {
  readonly names: NamesKey
}

interface Differences {
  readonly missing: readonly NewCertificate[]
  /** Those that are wanted again, or for another site. */
  readonly again: readonly Pick<Existing, 'id' | 'site'>[]
  /** Ids. */
  readonly unwanted: readonly number[]
}

/** @param now milliseconds since the epoch */
export function compareWanted(wanted: readonly Wanted[], existing: readonly Existing[], now: number): Differences {
  const known = new Map(existing.map((one) => [keyOf(one.accountId, one.names), one]))
  const ofZones = new Set(
    wanted
      .filter(({ host }) => host === null)
      .filter(({ accountId, zone }) => mayCover(known.get(keyOf(accountId, namesOf({ zone, host: null }))), now))
      .map(({ accountId, zone }) => keyOf(accountId, zone)),
  )
  const found = new Map<string, NewCertificate>()
  for (const { accountId, zone, site, host } of wanted)
    if (host === null || !isCovered(host, zone) || !ofZones.has(keyOf(accountId, zone))) {
      const names = namesOf({ zone, host })
      found.set(keyOf(accountId, names), { accountId, zone, site, names })
    }
  return {
    missing: [...found].flatMap(([key, one]) => (known.has(key) ? [] : [one])),
    again: [...found].flatMap(([key, { site }]) => {
      const one = known.get(key)
      return one === undefined || (one.wanted === 1 && one.site === site) ? [] : [{ id: one.id, site }]
    }),
    unwanted: [...known].flatMap(([key, { id, wanted: is }]) => (is === 1 && !found.has(key) ? [id] : [])),
  }
}

const keyOf = (accountId: number | null, text: string): string => `${String(accountId)} ${text}`

const namesOf = ({ zone, host }: Pick<Wanted, 'zone' | 'host'>): NamesKey =>
  namesKeyOf(host === null ? [zone, `*.${zone}`] : [host])

/** Whether the certificate of a zone has the host: the zone, or a name one label below it. */
const isCovered = (host: string, zone: string): boolean => host === zone || host.slice(host.indexOf('.') + 1) === zone

/** Short disturbances must not spend the limits of a domain on its hosts. */
const failuresMax = 3

/** Not if its orders fail, and there is no valid one: hosts may be provable where their zone is not. */
const mayCover = (certificate: Existing | undefined, now: number): boolean =>
  (certificate?.failures ?? 0) < failuresMax || (certificate?.notAfter ?? 0) > now
