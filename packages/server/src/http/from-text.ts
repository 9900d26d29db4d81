/** The text form of values in queries and forms. */

/** Only decimal digits: `Number` would also read `0x10`, `1e3`, `+5` and spaces. */
const decimal = /^\d+$/

/**
 * Converts the integers and booleans of a query or a form, which are text, to their declared types. Any other text stays as it is, so
 * that the validator refuses it with a message that quotes it.
 * @param given values by name; a name that was given several times has a list
 */
export function fromText(schema: object | undefined, given: object): object {
  const { properties = {} } = (schema ?? {}) as { readonly properties?: Readonly<Record<string, { type?: unknown }>> }
  const fields: Record<string, unknown> = { ...given }
  for (const [name, { type }] of Object.entries(properties)) {
    const text = fields[name]
    if (typeof text === 'string') fields[name] = convert(type, text)
  }
  return fields
}

function convert(type: unknown, text: string): unknown {
  if (type === 'integer' && decimal.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
