import { Type } from 'typebox'
import { priorityMax, recordTypes, recordValueMaxLength, ttlDefault, ttlMax, ttlMin } from '../limits.js'
import { byRule, open } from '../operation.js'
import { closed, Id, Nullable, Time } from '../schema.js'

/** A DNS record as it is created, changed and answered (specification, section 2.3). */

// Labels in any script, the first of which may be an asterisk (RFC 4592, section 2.1.1). A whole name has at most 253
// characters (RFC 1035, section 2.3.4); the zone takes some of them.
const host = {
  ...byRule({ maxLength: 253, pattern: String.raw`^(@|(\*|[^.*@/:\s]+)(\.[^.*@/:\s]+)*)?$` }),
  description: 'Subdomain label only; an empty string or `@` means the apex',
}
const content = {
  minLength: 1,
  maxLength: recordValueMaxLength,
  description: 'Address, target name or text. SRV: `weight port target`. CAA: `flags tag "value"`',
}
const ttl = { minimum: ttlMin, maximum: ttlMax, description: `Seconds, ${String(ttlMin)} to ${String(ttlMax)}` }

// Not checked by the schema: types other than MX and SRV ignore whatever number comes (section 2.3).
const priority = {
  ...byRule({ minimum: 0, maximum: priorityMax }),
  description: `Required for MX and SRV (0 to ${String(priorityMax)}), ignored for other types`,
}

export const NewRecord = Type.Object(
  {
    type: Type.Enum([...recordTypes], { description: 'Cannot be changed after creation' }),
    host: Type.Optional(Type.String(host)),
    value: Type.String(content),
    ttl: Type.Optional(Type.Integer({ ...ttl, default: ttlDefault })),
    priority: Type.Optional(Type.Integer(priority)),
  },
  closed,
)

/** Without defaults: only supplied fields change. */
export const RecordChanges = Type.Object(
  {
    type: Type.Optional(
      Type.Enum(
        [...recordTypes],
        open("The record's own type is accepted and changes nothing; another is refused.", {
          description: "The record's own type, or left out",
        }),
      ),
    ),
    host: Type.Optional(Type.String(host)),
    value: Type.Optional(Type.String(content)),
    ttl: Type.Optional(Type.Integer(ttl)),
    priority: Type.Optional(Type.Integer(priority)),
  },
  closed,
)

export const DnsRecord = Type.Object(
  {
    id: Id('Id of the record'),
    zone: Type.String({ description: 'Apex domain of the zone' }),
    type: Type.Enum([...recordTypes]),
    host: Type.String({ description: 'Relative to the zone; `@` for the apex' }),
    name: Type.String({ description: 'The full name' }),
    value: Type.String({ description: 'In one canonical form' }),
    ttl: Type.Integer({ description: 'Seconds' }),
    priority: Nullable(Type.Integer(), { description: 'Null but for MX and SRV' }),
    created_at: Time('When it was created'),
    updated_at: Time('When it was last changed'),
  },
  open('The full record object is not shown beyond the fields of section 2.3.'),
)
