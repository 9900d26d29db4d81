import { Type } from 'typebox'
import { byRule, open } from '../operation.js'
import { nameMaxLength, Time } from '../schema.js'

/** Schemas of a zone claim and of its verification (specification, section 2.2). */

export const claimStatuses = ['verified', 'pending'] as const
export type ClaimStatus = (typeof claimStatuses)[number]

/** In a path. A text that is not a name answers 403 `forbidden_zone`, like a zone of another account. */
export const ZoneStep = Type.String({
  ...byRule({ minLength: 1, maxLength: nameMaxLength }),
  description: 'Apex domain of the zone',
})

export const ZonePath = Type.Object({ zone: ZoneStep })

export const zone = Type.String({ description: 'Apex domain, in lower case' })
export const status = Type.Enum([...claimStatuses], { description: '`pending` until control is proven' })

/** Section 2.2 names method, verify_method, expected_ns and verified, and leaves the structure open. */
const Verification = Type.Object(
  {
    method: Type.Optional(
      Type.Enum(['auto', 'txt'], { description: '`auto` for instant verification, `txt` for a contested zone' }),
    ),
    verify_method: Type.Optional(
      Type.Literal('ns', { description: 'Only on legacy claims: the live NS answers are the proof' }),
    ),
    verified: Type.Boolean({ description: 'Whether control is proven' }),
    name: Type.Optional(
      Type.String({ description: 'Name of the TXT record to publish; present while the challenge is open' }),
    ),
    value: Type.Optional(
      Type.String({ description: 'Value of the TXT record to publish; present while the challenge is open' }),
    ),
    expected_ns: Type.Array(Type.String(), { description: 'The nameservers to delegate the zone to' }),
    note: Type.Optional(
      Type.String({
        description:
          'Only while a zone is pending that the public DNS does not have, such as `home.lan`: only the operator can assign it',
      }),
    ),
  },
  open('The structure of `verification` is not shown beyond the names of section 2.2.'),
)

export const Claim = Type.Object({ zone, status, verification: Verification })

export const ListedClaim = Type.Object({ ...Claim.properties, created_at: Time('When the zone was claimed') })

const lookUpResults = [
  'found',
  'nxdomain',
  'no_data',
  'servfail',
  'refused',
  'invalid',
  'timeout',
  'unreachable',
] as const

export const LookUp = Type.Object(
  {
    type: Type.Enum(['TXT', 'NS'], { description: '`NS` for a legacy claim' }),
    name: Type.String({ description: 'The name that was looked up' }),
    expected: Type.Array(Type.String(), { description: 'The TXT value, or all nameservers of a legacy claim' }),
    looked_up_at: Time('When the resolvers were queried'),
    resolvers: Type.Array(
      Type.Object({
        resolver: Type.String({ description: 'Address of the resolver' }),
        result: Type.Enum([...lookUpResults], {
          description: '`found`, or why there are no values; `invalid` for other DNS errors',
        }),
        values: Type.Array(Type.String(), {
          description: 'At most 10 of the values, each cut after 255 characters, control characters replaced by U+FFFD',
        }),
        more: Type.Integer({ minimum: 0, description: 'How many values are left out' }),
      }),
    ),
  },
  open('What was looked up, and what each resolver answered; only if the look-up does not match.'),
)
