import type { Operation } from '@svc/contract'
import { InputError } from './errors.js'

/** Everything a caller names, in one flat object. */
export type AnyInput = Readonly<Record<string, unknown>>

/** A call as it goes over the wire. */
export interface WireRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly body: string | undefined
}

/** Sorts an input into path, query and body. Undefined fields count as absent. @throws InputError for an unusable path */
export function requestOf(op: Operation, input: AnyInput): WireRequest {
  const given = Object.entries(input).filter(([, value]) => value !== undefined)
  const inPath = new Set(Object.keys(op.params?.properties ?? {}))
  const inQuery = new Set(Object.keys(op.query?.properties ?? {}))
  const query = new URLSearchParams()
  const body: Record<string, unknown> = {}
  for (const [name, value] of given) {
    // What the contract does not know goes too: it is for the server to refuse it.
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

/** A list goes as the API has lists in queries: separated by commas. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Empty and dot segments would make another path, even percent-encoded (URL standard, 4.1). */
function segment(op: Operation, name: string, value: unknown): string {
  const text = value === undefined ? '' : textOf(value)
  if (text === '' || text === '.' || text === '..')
    throw new InputError(`${op.id}: ${name} is part of the path and cannot be ${JSON.stringify(value)}`)
  return encodeURIComponent(text)
}
