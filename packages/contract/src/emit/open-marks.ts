import { openKey, type Operation } from '../operation.js'
import { mapChildren, plainSchema, type JsonSchema } from './json-schema.js'

/** One open detail: its place, and the choice. */
export interface OpenMark {
  readonly op: Operation
  /** `data.zones[].zone`, `query.limit`; empty for the operation itself. */
  readonly path: string
  readonly why: string
}

const parts = { params: 'path', query: 'query', body: 'body', data: 'data' } as const

/** Every mark of an operation, in the order of its declaration. */
export function openMarks(op: Operation): OpenMark[] {
  const marks: OpenMark[] = op.open === undefined ? [] : [{ op, path: '', why: op.open }]
  const visit = (schema: JsonSchema, path: string): JsonSchema => {
    const why = schema[openKey]
    if (why !== undefined) marks.push({ op, path, why })
    return mapChildren(schema, (child, step) => visit(child, path + step))
  }
  for (const [part, name] of Object.entries(parts)) {
    const schema = op[part as keyof typeof parts]
    if (schema) visit(plainSchema(schema), name)
  }
  for (const [type, why] of Object.entries(op.otherBodies ?? {})) marks.push({ op, path: `body as ${type}`, why })
  return marks
}
