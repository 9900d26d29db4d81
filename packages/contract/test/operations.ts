import { operations } from '../src/areas/index.js'
import type { additionKey, openKey, Operation } from '../src/operation.js'
import type { Row } from './specification.js'

/** Finds operations and schemas of the contract. */

export interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean
  readonly [openKey]?: string
  readonly [additionKey]?: true
}

/** A schema as plain JSON, without the symbols of TypeBox. */
export const plain = (schema: object | undefined): Schema | undefined =>
  schema && (JSON.parse(JSON.stringify(schema)) as Schema)

/** The operation of a row. */
export function find({ method, path }: Pick<Row, 'method' | 'path'>): Operation {
  const op = operations.find((candidate) => candidate.method === method && candidate.path === path)
  if (op === undefined) throw new Error(`${method} ${path} is not declared`)
  return op
}

/** The schemas of the input: path, query and body. */
export const inputs = (op: Operation): Schema[] =>
  [op.params, op.query, op.body].flatMap((schema) => plain(schema) ?? [])

/** The first of these properties that the schema has. */
export const at = (schema: Schema | undefined, ...names: string[]): Schema | undefined =>
  names.map((name) => schema?.properties?.[name]).find((property) => property !== undefined)
