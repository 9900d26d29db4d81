import { Type, type TSchema } from 'typebox'
import {
  priorityMax,
  recordTypes,
  recordValueMaxLength,
  rrsetValuesMax,
  ttlDefault,
  ttlMax,
  ttlMin,
} from '../limits.js'
import { added, byRule, open } from '../operation.js'
import { closed, Id, Nullable, Time } from '../schema.js'

/** Schemas of a DNS record: create, change, answer (specification, section 2.3). */

// Labels in any script; the first one may be an asterisk (RFC 4592, section 2.1.1). A whole name, zone included, has at
// most 253 characters (RFC 1035, section 2.3.4).
export const recordHost = {
  ...byRule({ maxLength: 253, pattern: String.raw`^(@|(\*|[^.*@/:\s]+)(\.[^.*@/:\s]+)*)?$` }),
  description: 'Name without the zone: `www`, `_sip._tcp`, `*`; `@` or an empty string for the zone itself',
}
const content = {
  minLength: 1,
  maxLength: recordValueMaxLength,
  description: 'Address, target name or text. SRV: `weight port target`. CAA: `flags tag "value"`',
}
const ttl = {
  minimum: ttlMin,
  maximum: ttlMax,
  description: `Seconds, ${String(ttlMin)} to ${String(ttlMax)}; records of one type and host share it, so the others get it too`,
}

// Not checked by the schema: types other than MX and SRV ignore the value (section 2.3).
const priority = {
  ...byRule({ minimum: 0, maximum: priorityMax }),
  description: `Required for MX and SRV (0 to ${String(priorityMax)}), ignored for other types`,
}

export const NewRecord = Type.Object(
  {
    type: Type.Enum([...recordTypes], { description: 'Cannot be changed after creation' }),
    host: Type.Optional(Type.String(recordHost)),
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
        open("The record's current type is accepted and changes nothing; another type answers 400.", {
          description: "Only the record's current type is accepted",
        }),
      ),
    ),
    host: Type.Optional(Type.String(recordHost)),
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
    host: Type.String({ description: 'Name without the zone; `@` for the zone itself' }),
    name: Type.String({ description: 'The full name' }),
    value: Type.String({ description: 'In canonical form' }),
    ttl: Type.Integer({ description: 'Seconds' }),
    priority: Nullable(Type.Integer(), { description: 'Null for types other than MX and SRV' }),
    created_at: Time('When it was created'),
    updated_at: Time('When it was last changed'),
  },
  open('The full record object is not shown beyond the fields of section 2.3.'),
)

/** All records of one host and type. */
export const RRset = Type.Object(
  {
    type: Type.Enum([...recordTypes]),
    host: Type.String({ description: 'Name without the zone; `@` for the zone itself' }),
    name: Type.String({ description: 'The full name' }),
    ttl: Type.Integer({ description: 'Seconds' }),
    priority: Nullable(Type.Integer(), {
      description: 'Null for types other than MX and SRV, and if the records have several',
    }),
    values: Type.Array(Type.String(), { description: 'All values that the name has now, in canonical form' }),
  },
  added({ description: 'All records of this type and host, as DNS answers them' }),
)

/** What replaces all records of one host and type. */
export const NewRRset = Type.Object(
  {
    values: Type.Array(Type.String(content), {
      minItems: 1,
      maxItems: rrsetValuesMax,
      description: 'All values that the name shall have',
    }),
    ttl: Type.Optional(Type.Integer({ ...ttl, default: ttlDefault })),
    priority: Type.Optional(Type.Integer({ ...priority, description: `Of all values. ${priority.description}` })),
  },
  added(closed),
)

/** @param field the schema of the field that names the input */
export const warningsAbout = <F extends TSchema>(field: F) =>
  Type.Array(
    Type.Object({
      code: Type.Enum(['several_spf', 'target_is_alias']),
      message: Type.String({ description: 'What does not work, and what to change' }),
      field,
    }),
    added({
      description: 'What is allowed, but does not work as expected with other records of the zone; usually empty',
    }),
  )

export const recordWarnings = warningsAbout(
  Type.Enum(['value', 'values', 'host'], { description: 'The field that it is about' }),
)

/** A record that was created or updated. */
export const WrittenRecord = Type.Object(
  {
    ...DnsRecord.properties,
    rrset: RRset,
    warnings: recordWarnings,
    ttl_changed: Type.Optional(
      Type.Array(
        Id('Id of a record'),
        open('The other records of the same type and host that got the ttl of this record; only if there are any.'),
      ),
    ),
  },
  open('The full record object is not shown beyond the fields of section 2.3.'),
)
