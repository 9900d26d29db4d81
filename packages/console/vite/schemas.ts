/**
 * The constructors of TypeBox that the contract calls, as plain JSON Schema. The console reads limits, enumerations and descriptions
 * of the contract, and validates nothing, so it does not need TypeBox: 25 kB compressed. The build puts this module in its place;
 * `test/schemas.test.ts` compares every operation.
 */

type Schema = Readonly<Record<string, unknown>>

/** Properties that an object does not require. Not a field of the schema: TypeBox does not print its mark either. */
const optional = new WeakSet<Schema>()

const simple =
  (type: string) =>
  (options: Schema = {}): Schema => ({ type, ...options })

function object(properties: Readonly<Record<string, Schema>>, options: Schema = {}): Schema {
  const required = Object.keys(properties).filter((name) => !optional.has(properties[name] ?? {}))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

function asOptional(schema: Schema): Schema {
  const marked = { ...schema }
  optional.add(marked)
  return marked
}

export const Type = {
  String: simple('string'),
  Integer: simple('integer'),
  Number: simple('number'),
  Unknown: (options: Schema = {}): Schema => ({ ...options }),
  Boolean: simple('boolean'),
  Null: simple('null'),
  Object: object,
  Optional: asOptional,
  Array: (items: Schema, options: Schema = {}): Schema => ({ type: 'array', items, ...options }),
  Enum: (values: readonly unknown[], options: Schema = {}): Schema => ({ enum: values, ...options }),
  Literal: (value: unknown, options: Schema = {}): Schema => ({ type: typeof value, const: value, ...options }),
  Union: (anyOf: readonly Schema[], options: Schema = {}): Schema => ({ anyOf, ...options }),
  Unsafe: (schema: Schema): Schema => schema,
  Record: (_key: Schema, value: Schema, options: Schema = {}): Schema => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  Partial: ({ required: _required, ...schema }: Schema, options: Schema = {}): Schema => ({ ...schema, ...options }),
}
