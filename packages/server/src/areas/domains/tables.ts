import { badRequest } from '@svc/contract/errors'
import { domainNoteMaxLength } from '@svc/contract/limits'
import type { Generated } from 'kysely'
import { bytes, count, id, json, nullable, text, time } from '../../db/columns.js'
import { ofAccount, type AreaTables, type RowRule } from '../../db/table-declaration.js'
import { leftOutIfTaken } from '../../db/unique-column.js'
import { refuseInvisible } from '../../shared/visible-text.js'
import { parseDomainNames, tldOf } from './portfolio/names.js'
import { isShownRegistration, unknownRegistration } from './portfolio/registration.js'

declare module '../../db/tables.js' {
  interface Tables {
    domain: DomainTable
    domain_calendar: DomainCalendarTable
  }
}

/** A domain of an account. Several accounts may have the same one. */
interface DomainTable {
  id: Generated<number>
  account_id: number
  /** In lower case; IDNs in punycode. Unique in the account. */
  name: string
  /** The top-level domain: the registry that is asked. Empty for all that the Public Suffix List does not know. */
  tld: string
  /** Empty without a note. */
  note: string
  /** Null if unknown, like the times. */
  registrar: string | null
  expires_at: number | null
  /** When the registry gave the registration; null before the first time. */
  synced_at: number | null
  /** The registration as answers show it: a JSON object. Lists are put together from it without formatting 10,000 dates. */
  registration: string
  /** When the registration is refreshed next. */
  due_at: number
  /** Refreshes that have failed since the last success. */
  failures: number
  /** Counts the changes of what the calendar shows. */
  revision: number
  /** Of the last of these changes. */
  changed_at: number
}

/** The secret address of an account's calendar. Only the SHA-256 of its key is stored. */
interface DomainCalendarTable {
  account_id: number
  hash: Uint8Array
  created_at: number
}

const domain: RowRule<'domain'> = {
  columns: {
    id,
    account_id: id,
    name: text(253),
    tld: text(63),
    note: text(domainNoteMaxLength * 2),
    registrar: nullable(text(255)),
    expires_at: nullable(time),
    synced_at: nullable(time),
    registration: json(20_000, isShownRegistration),
    due_at: count,
    failures: count,
    revision: count,
    changed_at: time,
  },
  request: ({ note }) => ({ operation: 'domains.annotate', body: { id: 1, note } }),
  check: ({ name, note }) => {
    if (parseDomainNames([name])[0] !== name) throw badRequest('name', 'must be in canonical form')
    refuseInvisible('note', note)
  },
}

const domain_calendar: RowRule<'domain_calendar'> = { columns: { account_id: id, hash: bytes(32), created_at: time } }

export const domainsTables = {
  tables: {
    domain: {
      ...ofAccount,
      hasGeneratedId: true,
      rule: domain,
      // The rows of a domain share what its registry says, in all accounts: one account's file must not change it for the others.
      imported: ({ name }, { now }) => ({
        tld: tldOf(name),
        registrar: null,
        expires_at: null,
        synced_at: null,
        failures: 0,
        due_at: now,
        changed_at: now,
        registration: JSON.stringify(unknownRegistration),
      }),
    },
    domain_calendar: {
      ...ofAccount,
      rule: domain_calendar,
      unique: leftOutIfTaken('hash', 'bytes', () => 'The address of the calendar'),
    },
  },
} satisfies AreaTables
