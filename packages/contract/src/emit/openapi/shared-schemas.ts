import { areaOf, toolNameOf, type Operation } from '../../operation.js'
import { mapChildren, plainSchema, type JsonSchema } from '../json-schema.js'
import { pascal, schemaRef } from './names.js'

export interface SharedSchemas {
  /** `components.schemas`, by name. */
  readonly definitions: Readonly<Record<string, JsonSchema>>
  /** Replaces every object of an operation that occurs more than once by a reference. */
  refer(op: Operation, schema: object): JsonSchema
}

/**
 * Finds objects that occur at least twice, so that generated clients have one type for each. Additions do not change how the operations
 * of the specification are written: they use their definitions, and have further ones among themselves.
 */
export function sharedSchemas(operations: readonly Operation[]): SharedSchemas {
  const specified = nameRepeated(countObjects(operations.filter((op) => !op.addition)))
  const all = nameRepeated(countObjects(operations.filter((op) => op.addition)), specified)
  const referTo = (names: ReadonlyMap<string, string>) => {
    const refer = (schema: JsonSchema): JsonSchema => {
      const name = names.get(JSON.stringify(schema))
      return name === undefined ? mapChildren(schema, refer) : schemaRef(name)
    }
    return refer
  }
  const [inSpecified, inAdditions] = [referTo(specified), referTo(all)]
  const definitions = [...all].map(([text, name]) => {
    const refer = specified.has(text) ? inSpecified : inAdditions
    return [name, mapChildren(JSON.parse(text) as JsonSchema, refer)] as const
  })
  return {
    definitions: Object.fromEntries(definitions),
    refer: (op, schema) => (op.addition ? inAdditions : inSpecified)(plainSchema(schema)),
  }
}

interface Names {
  /** The operation's name, if the object is always a whole body or answer. */
  readonly whole: string
  /** The name of its field. */
  readonly member?: string
  /** The singular of the name of its list: the best name. */
  readonly listed?: string
}

type Seen = Names & { readonly times: number }

function countObjects(operations: readonly Operation[]): Map<string, Seen> {
  const seen = new Map<string, Seen>()
  for (const op of operations) {
    for (const part of ['body', 'data'] as const) {
      const whole = pascal(`${toolNameOf(op)}_${part}`)
      const visit = (schema: JsonSchema, path: string): JsonSchema => {
        if (Object.keys(schema.properties ?? {}).length > 1) count(seen, schema, { whole, ...memberName(areaOf(op), path) })
        return mapChildren(schema, (child, step) => visit(child, path + step))
      }
      if (op[part]) visit(plainSchema(op[part]), '')
    }
  }
  return seen
}

/** Keeps the first name of each kind. */
function count(seen: Map<string, Seen>, schema: JsonSchema, names: Names): void {
  const key = JSON.stringify(schema)
  const before = seen.get(key)
  seen.set(key, { ...names, ...before, times: (before?.times ?? 0) + 1 })
}

/** `DnsZone` of `.zones[]` in dns, but `File` of `.files[]` in files. */
function memberName(area: string, path: string): Omit<Names, 'whole'> {
  const key = /\.(\w+)[[\]]*$/.exec(path)?.[1]
  if (key === undefined) return {}
  const one = key.replace(/ies$/, 'y').replace(/s$/, '')
  const name = one.startsWith(area) || area.startsWith(one) ? pascal(one) : pascal(`${area}_${one}`)
  return path.endsWith('[]') ? { listed: name } : { member: name }
}

/** @param before the objects that have names already, which they keep */
function nameRepeated(
  seen: ReadonlyMap<string, Seen>,
  before: ReadonlyMap<string, string> = new Map(),
): Map<string, string> {
  const taken = new Set(before.values())
  const names = new Map(before)
  for (const [text, { times, listed, member, whole }] of seen) {
    if (times < 2 || names.has(text)) continue
    const wanted = listed ?? member ?? ''
    // Two different objects with one name: the second gets the name of its operation.
    const name = wanted === '' || taken.has(wanted) ? whole + wanted : wanted
    taken.add(name)
    names.set(text, name)
  }
  return names
}
