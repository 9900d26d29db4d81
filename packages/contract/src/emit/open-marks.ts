import { additionKey, openKey, type Operation } from '../operation.js'
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
  visitSchemas(op, (schema, path) => {
    const why = schema[openKey]
    if (why !== undefined) marks.push({ op, path, why })
  })
  for (const [type, why] of Object.entries(op.otherBodies ?? {})) marks.push({ op, path: `body as ${type}`, why })
  return marks
}

/** The paths of the fields that the specification lacks. */
export function addedFields(op: Operation): string[] {
  const paths: string[] = []
  visitSchemas(op, (schema, path) => {
    if (schema[additionKey]) paths.push(path)
  })
  return paths
}

/** Visits every schema of an operation, in the order of its declaration. */
function visitSchemas(op: Operation, visit: (schema: JsonSchema, path: string) => void): void {
  const walk = (schema: JsonSchema, path: string): JsonSchema => {
    visit(schema, path)
    return mapChildren(schema, (child, step) => walk(child, path + step))
  }
  for (const [part, name] of Object.entries(parts)) {
    const schema = op[part as keyof typeof parts]
    if (schema) walk(plainSchema(schema), name)
  }
}
