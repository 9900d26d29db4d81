import type { Operation } from '@svc/contract'

/** The parts of a field's schema that forms show and apply. */
interface FieldSchema {
  readonly description?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, FieldSchema>>
}

/**
 * The schema of an input field: its limits, its default and its description are those of the contract.
 * @param name of the field; with dots for a field of an object, such as `shortlink.max_uses`
 * @throws Error if the operation has no such field
 */
export function fieldOf(op: Operation, name: string): FieldSchema {
  const [first = '', ...inner] = name.split('.')
  const parts = [op.body, op.query, op.params]
  const outer: FieldSchema | undefined = parts
    .map((part) => part?.properties[first])
    .find((schema) => schema !== undefined)
  const found = inner.reduce((schema, step) => schema?.properties?.[step], outer)
  if (found === undefined) throw new Error(`${op.id} has no field ${name}`)
  return found
}
