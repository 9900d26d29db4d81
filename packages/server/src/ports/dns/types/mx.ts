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
  canonicalize: (given) =>
    given.trim() === nullMx ? nullMx : canonicalTarget(given, 'a full host name such as mail.example.com'),
  examples: [
    { value: 'mail.example.net', priority: 10 },
    { value: 'mx.conformance.test', priority: 65_535 },
  ],
})
