import type { Account } from '../../../shared/account.js'
import { fullName, relativeHost } from '../values/host.js'
import type { RRsetJson } from './presenter.js'
import type { ExistingRecord } from './record.js'
import type { RecordStore } from './store.js'

/** What is allowed, but does not work as its author expects. Only records of the zone are read, and no resolver is queried. */
export interface Warning<F extends string = ValuesField | 'host'> {
  readonly code: 'several_spf' | 'target_is_alias'
  readonly message: string
  readonly field: F
}

/** The field of the request that has the values: of one record, or of the whole RRset. */
export type ValuesField = 'value' | 'values'

type Records = Pick<RecordStore, 'aliases' | 'pointingTo'>

/**
 * The warnings about an RRset, after a change of it was committed. If the database fails, the change stands, and a repeated request
 * answers it again.
 */
export async function warningsAbout(
  records: Records,
  account: Account,
  zone: string,
  rrset: RRsetJson,
  field: ValuesField,
): Promise<Warning[]> {
  switch (rrset.type) {
    case 'TXT':
      return spfWarnings(rrset, field)
    case 'CNAME':
      return aliasWarnings(records, account, zone, rrset)
    case 'MX':
    case 'NS':
    case 'SRV':
      return targetWarnings(records, account, zone, rrset, field)
    default:
      return []
  }
}

/** More than one SPF record at a name is an error (RFC 7208, sections 3.2 and 4.5). */
export function spfWarnings<F extends string>({ name, values }: RRsetJson, field: F): Warning<F>[] {
  const count = values.filter((value) => /^v=spf1(?: |$)/i.test(value)).length
  if (count < 2) return []
  const message = `${name} has ${String(count)} SPF records. Receivers of mail then accept none of them: combine them into one.`
  return [{ code: 'several_spf', message, field }]
}

/** The hosts in the zone to which MX, NS or SRV records point. */
export const targetHosts = (zone: string, { values }: RRsetJson): string[] =>
  values.flatMap((value) => relativeHost(zone, value.slice(value.lastIndexOf(' ') + 1)) ?? [])

/** The target of an MX or NS record must not be an alias (RFC 2181, section 10.3), nor that of an SRV record (RFC 2782). */
export const targetWarning = <F extends string>(
  zone: string,
  type: string,
  { host, value }: Pick<ExistingRecord, 'host' | 'value'>,
  field: F,
): Warning<F> => ({
  code: 'target_is_alias',
  message: `${fullName(zone, host)} is an alias of ${value}, and the target of an ${type} record must not be one. Point the record to ${value}, or give ${fullName(zone, host)} addresses.`,
  field,
})

/** The same for a new alias to which a record points. @param name of the alias */
export const aliasWarning = <F extends string>(
  name: string,
  { id, type, host }: Pick<ExistingRecord, 'id' | 'type' | 'host'>,
  field: F,
): Warning<F> => ({
  code: 'target_is_alias',
  message: `The ${type} record ${String(id)} at ${host} points to ${name}, and its target must not be an alias. Give ${name} addresses instead, or change that record.`,
  field,
})

async function targetWarnings(
  records: Records,
  account: Account,
  zone: string,
  rrset: RRsetJson,
  field: ValuesField,
): Promise<Warning[]> {
  const hosts = targetHosts(zone, rrset)
  if (hosts.length === 0) return []
  return (await records.aliases(account, zone, hosts)).map((alias) => targetWarning(zone, rrset.type, alias, field))
}

async function aliasWarnings(
  records: Records,
  account: Account,
  zone: string,
  { name }: RRsetJson,
): Promise<Warning[]> {
  const record = await records.pointingTo(account, zone, name)
  return record === undefined ? [] : [aliasWarning(name, record, 'host')]
}
