import { badRequest } from '@svc/contract/errors'
import { domainNoteMaxLength } from '@svc/contract/limits'
import { bytes, count, id, json, nullable, text, time } from '../../db/columns.js'
import type { RowRule } from '../../db/row-rules.js'
import { refuseInvisible } from '../../shared/visible-text.js'
import { parseDomainNames, tldOf } from './portfolio/names.js'
import { isShownRegistration, unknownRegistration } from './portfolio/registration.js'

const domain: RowRule<'domain'> = {
  columns: {
    ...{ id, account_id: id, name: text(253), tld: text(63), note: text(domainNoteMaxLength * 2) },
    ...{ registrar: nullable(text(255)), expires_at: nullable(time), synced_at: nullable(time) },
    ...{ registration: json(20_000, isShownRegistration), due_at: count, failures: count, revision: count },
    changed_at: time,
  },
  request: ({ note }) => ({ operation: 'domains.annotate', body: { id: 1, note } }),
  check: ({ name, note }) => {
    if (parseDomainNames([name])[0] !== name) throw badRequest('name', 'must be in canonical form')
    refuseInvisible('note', note)
  },
  // The rows of a domain share what its registry says, in all accounts: one account's file must not change it for the others.
  asNew: ({ name }, now) => ({
    ...{
      tld: tldOf(name),
      registrar: null,
      expires_at: null,
      synced_at: null,
      failures: 0,
      due_at: now,
      changed_at: now,
    },
    registration: JSON.stringify(unknownRegistration),
  }),
}

const domain_calendar: RowRule<'domain_calendar'> = { columns: { account_id: id, hash: bytes(32), created_at: time } }

export const domainsRowRules = { domain, domain_calendar }
