import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.js'
import { acceptedScopes, type Scope } from './scopes.js'

/** Who may call: anyone, any valid token, or a token with one of these scopes. */
export type Access = 'public' | 'token' | { readonly anyOf: readonly Scope[] }

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/**
 * What an answer is made of.
 * - `json`: `data` in the envelope (specification, section 2.1)
 * - `document`: a text that tools load as it is, built once, with an ETag and no envelope
 * - `stream`: bytes
 */
export type Kind = 'json' | 'document' | 'stream'

export interface Operation {
  /** `<area>.<name>`; the client, the command line and the AI tools take their names from it. Frozen once released. */
  readonly id: string
  readonly method: Method
  /** Path with `{placeholders}`. Starts with /v1 but for llms.txt; the console's own start with /console/api. */
  readonly path: string
  readonly access: Access
  readonly kind: Kind
  /** One line in the imperative, without a full stop. */
  readonly summary: string
  readonly description?: string
  readonly params?: TObject
  readonly query?: TObject
  readonly body?: TObject
  /** The largest body in bytes, where it is not the one that `maxBodyBytesOf` works out. */
  readonly maxBodyBytes?: number
  /** `data` of the envelope. Absent for documents and streams. */
  readonly data?: TObject
  /** The other media types the body may come in, each with why (the JSON form is always accepted). */
  readonly otherBodies?: Readonly<Record<string, string>>
  /** What documents and streams are served as. */
  readonly produces?: readonly string[]
  /** What may go wrong beyond what `errorsOf` adds to every operation. */
  readonly errors?: readonly ErrorCode[]
  /** Why the operation as a whole, or part of its behaviour, is our choice. */
  readonly open?: string
  /** A call that works as written, for the documents. */
  readonly example: Example
}

export interface Example {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
  readonly data?: Readonly<Record<string, unknown>>
}

type Defaults<O> = O extends { kind: Kind } ? O : O & { readonly kind: 'json' }

/** Declares an operation. Everything that knows about it reads it from here. */
export function operation<const O extends Omit<Operation, 'kind'> & { kind?: Kind }>(declared: O): Defaults<O> {
  return { kind: 'json', ...declared } as unknown as Defaults<O>
}

/** The annotation that says: this detail is not the specification's word but this implementation's choice, and why. */
export const openKey = 'x-open-detail'

/**
 * Marks a schema as open: `Type.String(open('Times are RFC 3339.', { format: 'date-time' }))`.
 * The mark covers everything inside the schema.
 */
export function open<const O extends object = object>(why: string, options?: O): O & Record<typeof openKey, string> {
  return { ...(options as O), [openKey]: why }
}

/** The annotation that names the limits of a schema which the area checks. Documents show the limits without it. */
export const ruleKey = 'x-checked-by-rule'

export interface Limits {
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

/**
 * Limits that documents show and the schema validator leaves to the area: because the area's message says more than a
 * pattern can, or because it does not answer 400. Input within them is always of a form that the area accepts.
 */
export function byRule<const L extends Limits>(limits: L): L & Record<typeof ruleKey, readonly string[]> {
  return { ...limits, [ruleKey]: Object.keys(limits) }
}

type Part<O, K extends 'params' | 'query' | 'body'> =
  O extends Readonly<Record<K, infer S extends TSchema>> ? Static<S> : Record<never, never>

/** What a handler is given, and what a client sends. */
export interface Input<O> {
  readonly params: Part<O, 'params'>
  readonly query: Part<O, 'query'>
  readonly body: Part<O, 'body'>
}

/** `data` of the answer. */
export type Output<O> = O extends { readonly data: infer S extends TSchema } ? Static<S> : never

/** Everything a caller names, in one flat object: path, query and body have no name in common (a test holds them to it). */
export type FlatInput<O> = Part<O, 'params'> & Part<O, 'query'> & Part<O, 'body'>

/** The scopes that let a caller through, `*` apart; none for public operations and those that take any token. */
export const requiredScopes = (op: Operation): readonly Scope[] =>
  typeof op.access === 'object' ? acceptedScopes(op.access.anyOf) : []

const smallBodyBytes = 16 * 1024
const largeBodyBytes = 1024 * 1024

/**
 * The largest body an operation takes, in bytes: 16 KiB where no token is needed or the operation takes no fields, because
 * reading more than that is work which anyone could ask for; else 1 MiB.
 */
export const maxBodyBytesOf = (op: Operation): number =>
  op.maxBodyBytes ?? (op.access === 'public' || op.body === undefined ? smallBodyBytes : largeBodyBytes)

/** Every code an operation may answer with: what all share, what its door adds, and its own. */
export function errorsOf(op: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(['bad_request', 'internal_error'])
  if (op.access !== 'public') codes.add('unauthorized')
  if (typeof op.access === 'object') codes.add('forbidden_scope')
  for (const code of op.errors ?? []) codes.add(code)
  return [...codes].sort()
}

/** The area an operation belongs to: `dns` of `dns.recordCreate`. */
export const areaOf = (op: Operation): string => op.id.slice(0, op.id.indexOf('.'))

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** `recordCreate` of `dns.recordCreate`. */
export const nameOf = (op: Operation): string => op.id.slice(op.id.indexOf('.') + 1)

/** `record-create` of `dns.recordCreate`, as typed on the command line. */
export const commandOf = (op: Operation): string => kebab(nameOf(op))

/** `dns_record_create`, a name that OpenAI, Anthropic and MCP accept for a tool (at most 64 of [a-zA-Z0-9_-]). */
export const toolNameOf = (op: Operation): string => `${areaOf(op)}_${commandOf(op)}`.replaceAll('-', '_')

/** Names of the `{placeholders}` in a path. */
export const placeholders = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
