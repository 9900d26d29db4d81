import { groupBy } from '@svc/contract/group-by'
import type { LookUp, LookUpResult, ResolverReply } from '../../../ports/resolver/port.js'
import { quoted } from '../../../shared/quoted.js'

/** Replies of resolvers as text. */

/** How many values of a resolver a sentence repeats. */
const quotedMax = 3

/** Untrusted text without control and format characters, which would change the text around them on a terminal. */
export const visible = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd')

/** What each resolver answered, as clauses. Resolvers with the same answer share one. */
export function describeReplies(type: 'TXT' | 'NS', replies: LookUp): string {
  const clauses = Array.from(
    groupBy(replies, (reply) => clauseOf(type, reply)),
    ([clause, same]) => `${listed(same.map(({ resolver }) => resolver))} ${clause}`,
  )
  return clauses.length === 0 ? 'the system has no resolvers' : clauses.join('; ')
}

function clauseOf(type: 'TXT' | 'NS', { result, values }: ResolverReply): string {
  if (result !== 'found') return clauses[result](type)
  const shown = values.slice(0, quotedMax).map((value) => quoted(visible(value)))
  return `found ${listed(values.length > quotedMax ? [...shown, `${values.length - quotedMax} more`] : shown)}`
}

const clauses: Readonly<Record<Exclude<LookUpResult, 'found'>, (type: string) => string>> = {
  nxdomain: () => 'answered that the name does not exist (NXDOMAIN)',
  no_data: (type) => `answered that the name has no ${type} record`,
  servfail: () => 'failed to resolve it (SERVFAIL)',
  refused: () => 'refused the query (REFUSED)',
  invalid: () => 'answered with an error',
  timeout: () => 'did not answer in time',
  unreachable: () => 'could not be reached',
}

/** `a, b, and c` */
export const listed = (items: readonly string[]): string => new Intl.ListFormat('en').format(items)
