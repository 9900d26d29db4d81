import type { Zone } from '../../packages/server/src/ports/dns/port.js'
import type { Reply, ReplyRecord } from '../../packages/server/test/dns-ask.js'

/** One question with the replies of the embedded nameserver and of another one. */
export interface Case {
  readonly oracle: string
  readonly name: string
  readonly type: string
  /** The zones of both nameservers, longest names first. */
  readonly zones: readonly Zone[]
  readonly ours: Reply
  readonly theirs: Reply
}

/** A difference that the standards allow. docs/nameserver.md lists them in this order. */
interface Rule {
  readonly id: string
  readonly allows: (given: Case) => boolean
}

const lower = (name: string): string => name.toLowerCase()
const shown = ({ name, type, ttl, value }: ReplyRecord): string => `${lower(name)} ${ttl} ${type} ${value}`
const keys = (records: readonly ReplyRecord[]): Set<string> => new Set(records.map(shown))

/** Compares as sets, because the order of records has no meaning (RFC 2181, section 5). */
function equal(one: readonly ReplyRecord[], other: readonly ReplyRecord[]): boolean {
  const [a, b] = [keys(one), keys(other)]
  return a.size === b.size && [...a].every((key) => b.has(key))
}

const within = (name: string, zone: string): boolean => lower(name) === zone || lower(name).endsWith(`.${zone}`)
const zoneOf = ({ zones }: Pick<Case, 'zones'>, name: string): Zone | undefined =>
  zones.find(({ zone }) => within(name, zone))

/** Whether a reply from one zone may contain data of the other: the same zone, or another zone of the same account. */
const mayQuote = (one: Zone, other: Zone): boolean =>
  one === other || (typeof one.holder === 'number' && one.holder === other.holder)

/** Records in our reply from a zone of another account than the zone in question. */
export function leaked({ name, zones, ours }: Pick<Case, 'name' | 'zones' | 'ours'>): readonly ReplyRecord[] {
  const asked = zoneOf({ zones }, name)
  if (asked === undefined) return [...ours.answers, ...ours.authority, ...ours.additional]
  return [...ours.answers, ...ours.authority, ...ours.additional].filter((record) => {
    const source = zoneOf({ zones }, record.name)
    return source === undefined || !mayQuote(asked, source)
  })
}

/** The target hosts of records of these types. */
const hostsOf = (records: readonly ReplyRecord[], types: readonly string[]): Set<string> =>
  new Set(records.filter(({ type }) => types.includes(type)).map(({ value }) => value.split(' ').at(-1) ?? ''))

/** Whether the additional records differ only in optional addresses: glue is required, other addresses are not. */
function optionalAddresses({ ours, theirs }: Case): boolean {
  const { answers, authority } = ours
  const named = new Set([...hostsOf(answers, ['MX', 'SRV', 'NS']), ...hostsOf(authority, ['NS'])])
  const cut = lower(authority.find(({ type }) => type === 'NS')?.name ?? '')
  const [ourKeys, theirKeys] = [keys(ours.additional), keys(theirs.additional)]
  return [...ours.additional, ...theirs.additional]
    .filter((record) => ourKeys.has(shown(record)) !== theirKeys.has(shown(record)))
    .every(({ name, type }) => {
      const glue = cut !== '' && within(name, cut)
      return (type === 'A' || type === 'AAAA') && named.has(lower(name)) && !glue
    })
}

const sameButAdditional = ({ ours, theirs }: Case): boolean =>
  ours.rcode === theirs.rcode &&
  ours.aa === theirs.aa &&
  ours.tc === theirs.tc &&
  equal(ours.answers, theirs.answers) &&
  equal(ours.authority, theirs.authority)

export const rules: readonly Rule[] = [
  { id: 'additional', allows: (given) => sameButAdditional(given) && optionalAddresses(given) },
  {
    id: 'tenant',
    allows: (given) => {
      const { ours, theirs } = given
      const [end] = ours.answers.slice(-1)
      if (end?.type !== 'CNAME' || ours.rcode !== 'NOERROR' || ours.authority.length > 0) return false
      const [from, to] = [zoneOf(given, end.name), zoneOf(given, end.value)]
      const followed = [...keys(ours.answers)].every((record) => keys(theirs.answers).has(record))
      return from !== undefined && to !== undefined && !mayQuote(from, to) && (followed || theirs.tc)
    },
  },
  {
    id: 'tenant-ds',
    allows: ({ name, type, zones, ours, theirs }) => {
      const asked = zones.find(({ zone }) => zone === lower(name))
      const above = zones.find(({ zone }) => within(name, zone) && zone !== lower(name))
      return (
        type === 'DS' &&
        asked !== undefined &&
        above !== undefined &&
        !mayQuote(above, asked) &&
        ours.rcode === 'NOERROR' &&
        ours.authority.every((record) => record.type === 'SOA' && record.name === asked.zone) &&
        theirs.authority.every((record) => record.type === 'SOA' && record.name === above.zone)
      )
    },
  },
  { id: 'truncated', allows: ({ ours, theirs }) => ours.tc && theirs.tc && ours.rcode === theirs.rcode },
  {
    id: 'glue',
    allows: ({ ours, theirs }) =>
      ours.tc &&
      !theirs.tc &&
      ours.rcode === theirs.rcode &&
      theirs.answers.length === 0 &&
      equal(ours.authority, theirs.authority) &&
      // They omit an address below the delegation. That is glue, which a reply must not omit.
      [...hostsOf(theirs.authority, ['NS'])].some(
        (host) =>
          within(host, lower(theirs.authority[0]?.name ?? '-')) &&
          !theirs.additional.some(({ name }) => lower(name) === host),
      ),
  },
  {
    id: 'any',
    allows: ({ type, ours, theirs }) =>
      type === 'ANY' &&
      (theirs.tc || (ours.rcode === theirs.rcode && ours.aa === theirs.aa)) &&
      new Set(ours.answers.map((record) => `${lower(record.name)} ${record.type}`)).size <= 1 &&
      (theirs.tc || ours.answers.length > 0),
  },
  {
    id: 'other-zone',
    allows: (given) => {
      const [end] = given.theirs.answers.slice(-1)
      return (
        end?.type === 'CNAME' &&
        given.theirs.rcode === 'NOERROR' &&
        given.theirs.authority.length === 0 &&
        zoneOf(given, end.value) !== undefined &&
        zoneOf(given, end.value) !== zoneOf(given, given.name) &&
        [...keys(given.theirs.answers)].every((record) => keys(given.ours.answers).has(record))
      )
    },
  },
  {
    id: 'child-ds',
    allows: ({ type, name, zones, ours, theirs }) =>
      type === 'DS' &&
      zones.some(({ zone }) => zone === lower(name)) &&
      ours.rcode === 'NOERROR' &&
      theirs.rcode === 'NXDOMAIN' &&
      equal(ours.authority, theirs.authority),
  },
  {
    id: 'nested-cut',
    allows: ({ oracle, name, ours, theirs }) => {
      const cut = lower(ours.authority[0]?.name ?? '-')
      const deeper = lower(theirs.authority[0]?.name ?? '-')
      const isParentData = theirs.authority[0]?.type === 'SOA'
      return (
        oracle === 'powerdns' &&
        ours.authority[0]?.type === 'NS' &&
        within(name, cut) &&
        (isParentData || (within(deeper, cut) && deeper !== cut))
      )
    },
  },
  {
    id: 'loop',
    allows: ({ oracle, name, ours, theirs }) =>
      (oracle === 'powerdns' || oracle === 'bind') &&
      theirs.rcode === 'SERVFAIL' &&
      /^(loop[12]|self|.+\.round)\.example\.test$/i.test(name) &&
      ours.answers.length > 0 &&
      ours.answers.every(({ type }) => type === 'CNAME'),
  },
  {
    id: 'wildcard-cname',
    allows: ({ oracle, type, ours, theirs }) =>
      oracle === 'powerdns' &&
      type === 'CNAME' &&
      ours.answers.length === 1 &&
      equal(ours.answers, theirs.answers) &&
      ours.authority.length === 0 &&
      theirs.authority.every((record) => record.type === 'SOA'),
  },
]

/** The id of the rule that allows the difference, or `unexplained`. Undefined if the replies are equal. */
export function differenceOf(given: Case): string | undefined {
  const { ours, theirs } = given
  if (sameButAdditional(given) && equal(ours.additional, theirs.additional)) return undefined
  return rules.find(({ allows }) => allows(given))?.id ?? 'unexplained'
}
