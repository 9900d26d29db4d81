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
}

/**
 * The schema of an input field: its limits, its default and its description are those of the contract.
 * @throws Error if the operation has no such field
 */
export function fieldOf(op: Operation, name: string): FieldSchema {
  const parts = [op.body, op.query, op.params]
  const found = parts.map((part) => part?.properties[name]).find((schema) => schema !== undefined)
  if (found === undefined) throw new Error(`${op.id} has no field ${name}`)
  return found
}
