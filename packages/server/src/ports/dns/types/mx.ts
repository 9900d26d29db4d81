import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import { canonicalTarget, nameRules } from './target.js'

/** The value of a null MX, "this name accepts no mail" (RFC 7505). */
export const nullMx = '.'

/** A mail server: a host with a preference (RFC 1035, section 3.3.9), or the null MX. */
export const mx = nameRules({
  code: 15,
  hasPriority: true,
  targetOffset: 0,
  fields: {
    count: 2,
    description: 'a priority and a name, such as 10 mail.example.net.',
    words: 2,
    toGiven: ([name = ''], absolute) => absolute(name),
  },
  canonicalize,
  examples: [
    { value: 'mail.example.net', priority: 10 },
    { value: 'mx.conformance.test', priority: 65_535 },
  ],
})

function canonicalize(given: string): string {
  const host = given.trim()
  if (host === nullMx) return nullMx
  const wanted = 'a full host name such as mail.example.com'
  // The priority before the host, as in zone files, or after it.
  if (/^(\d{1,5}\s+\S+|\S+\s+\d{1,5})$/.test(host))
    throw badRequest('value', `must be ${wanted}, not ${quoted(given)}. The priority is a separate field`)
  return canonicalTarget(given, wanted)
}
