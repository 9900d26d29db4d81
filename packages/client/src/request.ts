import type { Operation } from '@svc/contract'
import { InputError } from './errors.js'

/** The fields of path, query and body in one flat object. */
export type AnyInput = Readonly<Record<string, unknown>>

/** The HTTP request of a call. */
export interface HttpRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly body: string | undefined
}

/** Separates an input into path, query and body. Undefined fields are not sent. @throws InputError for an invalid path parameter */
export function requestOf(op: Operation, input: AnyInput): HttpRequest {
  const given = Object.entries(input).filter(([, value]) => value !== undefined)
  const inPath = new Set(Object.keys(op.params?.properties ?? {}))
  const inQuery = new Set(Object.keys(op.query?.properties ?? {}))
  const query = new URLSearchParams()
  const body: Record<string, unknown> = {}
  for (const [name, value] of given) {
    // Unknown fields are sent as well: the server names them in its error.
    if (inQuery.has(name) || (!inPath.has(name) && op.body === undefined)) query.append(name, textOf(value))
    else if (!inPath.has(name)) body[name] = value
  }
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => segment(op, name, input[name]))
  return {
    method: op.method,
    path: query.size === 0 ? path : `${path}?${query.toString()}`,
    body: op.body === undefined ? undefined : JSON.stringify(body),
  }
}

/** A query or path value as text; a list is separated by commas. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Rejects empty and dot segments, which would change the path, even percent-encoded (URL standard, 4.1). */
function segment(op: Operation, name: string, value: unknown): string {
  const text = value === undefined ? '' : textOf(value)
  if (text === '' || text === '.' || text === '..')
    throw new InputError(`${op.id}: ${name} is part of the path and cannot be ${JSON.stringify(value)}`)
  return encodeURIComponent(text)
}
