import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.js'
import type { RuleAccess, RuleKind } from './limits.js'
import { acceptedScopes, type Scope } from './scopes.js'

/** The callers that are allowed: all (`public`), those with a valid token, or those whose token has one of these scopes. */
export type Access = 'public' | 'token' | { readonly anyOf: readonly Scope[] }

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * The form of a successful answer.
 * - `json`: `data` in the envelope (specification, section 2.1)
 * - `document`: text without an envelope, so that tools can load it; built once, with an ETag
 * - `stream`: bytes without an envelope
 */
export type Kind = 'json' | 'document' | 'stream'

export interface Operation {
  /** `<area>.<name>`. The client, the command line and the AI tools derive their names from it. Never changes after a release. */
  readonly id: string
  readonly method: Method
  /** Path with `{placeholders}`. Starts with /v1, except for /llms.txt and the console's operations (/console/api). */
  readonly path: string
  readonly access: Access
  readonly kind: Kind
  /** One line in the imperative, without a full stop. */
  readonly summary: string
  readonly description?: string
  readonly params?: TObject
  readonly query?: TObject
  readonly body?: TObject
  /** The largest body in bytes; undefined for the default of `maxBodyBytesOf`. */
  readonly maxBodyBytes?: number
  /** The most values of a JSON body; undefined for the default of the server. */
  readonly maxBodyValues?: number
  /** `data` of the envelope. Undefined for documents and streams without a JSON form. */
  readonly data?: TObject
  /** The field of the body that holds bytes, if there is one. They may be many, so they never are in memory together. */
  readonly bytes?: ByteField
  /** The field of the body that is the text of a file, which the command line reads. */
  readonly fileText?: string
  /** Other media types of the body, each with a sentence about its use. JSON is always accepted. */
  readonly otherBodies?: Readonly<Record<string, string>>
  /** Media types of documents and streams. */
  readonly produces?: readonly string[]
  /**
   * Whether its answer has stored secrets: the console asks for the password again before it. `in part`: without the password, the answer
   * leaves them out.
   */
  readonly showsSecrets?: true | 'in part'
  /** Error codes beyond those that `errorsOf` adds to every operation. */
  readonly errors?: readonly ErrorCode[]
  /** The behaviour that the specification leaves open, and this implementation's choice, as a sentence. */
  readonly open?: string
  /** What the rules of a token must allow; undefined if no rule concerns the operation. */
  readonly touches?: Touched
  /** What a token with rules cannot use, because its rules would not hold there: `the webhooks of the account`. */
  readonly refusesRules?: string
  /** Whether the specification lacks the operation; `added` marks a field. */
  readonly addition?: true
  /** Whether people alone set it up: the brief and the AI tools leave it out, such as the choice of where events are sent. */
  readonly forPeople?: true
  /** A call that works as written. Tests send it, documents print it. */
  readonly example: Example
}

/** The thing that an operation reads or changes, for the rules of tokens (docs/tokens.md). */
export interface Touched {
  readonly kind: RuleKind
  /** `whole`: a change of a zone that concerns all its records. */
  readonly access: RuleAccess | 'whole'
  /** The place of its name or id in the input: `body.name`. Undefined for a list, which has only what the rules allow. */
  readonly by?: `${'params' | 'query' | 'body'}.${string}`
}

/** A field of bytes: base64 in JSON, the one file part of a form, the whole body of the other media types. */
export interface ByteField {
  readonly field: string
  /** For several files: the field is a list, and each entry has a name and its bytes. In a form, each file part is an entry. */
  readonly each?: { readonly name: string; readonly content: string }
  /** The fields whose defaults are the name and the media type of the file part of a form. */
  readonly name?: string
  readonly mediaType?: string
}

export interface Example {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
  readonly data?: Readonly<Record<string, unknown>>
}

type Defaults<O> = O extends { kind: Kind } ? O : O & { readonly kind: 'json' }

/** Declares an operation. Server, client, command line, documents and tests read this declaration. */
export function operation<const O extends Omit<Operation, 'kind'> & { kind?: Kind }>(declared: O): Defaults<O> {
  return { kind: 'json', ...declared } as unknown as Defaults<O>
}

/** Annotates a detail that the specification leaves open. Its value is this implementation's choice, as a sentence. */
export const openKey = 'x-open-detail'

/**
 * Marks a schema as an open detail: `Type.String(open('Times are RFC 3339.', { format: 'date-time' }))`.
 * The mark includes the schemas inside it.
 */
export function open<const O extends object = object>(why: string, options?: O): O & Record<typeof openKey, string> {
  return { ...(options as O), [openKey]: why }
}

/** Annotates what the specification lacks. It allows backwards-compatible fields and endpoints (section 9, rule 2). */
export const additionKey = 'x-svc-addition'

/** Marks a field as an addition: `Type.String(added({ description: 'A name' }))`. The mark includes the schemas inside it. */
export function added<const O extends object = object>(options?: O): O & Record<typeof additionKey, true> {
  return { ...(options as O), [additionKey]: true }
}

/** Lists the limits of a schema that the area checks instead of the validator. Documents leave this annotation out. */
export const ruleKey = 'x-checked-by-rule'

export interface Limits {
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

/**
 * Limits that documents show and the area checks, not the schema validator: the area's message is clearer than a pattern,
 * or its answer is not 400. The area accepts the form of every input within these limits.
 */
export function byRule<const L extends Limits>(limits: L): L & Record<typeof ruleKey, readonly string[]> {
  return { ...limits, [ruleKey]: Object.keys(limits) }
}

type Part<O, K extends 'params' | 'query' | 'body'> =
  O extends Readonly<Record<K, infer S extends TSchema>> ? Static<S> : Record<never, never>

/** The input of an operation, by place: what a client sends and a handler receives. */
export interface Input<O> {
  readonly params: Part<O, 'params'>
  readonly query: Part<O, 'query'>
  readonly body: Part<O, 'body'>
}

/** `data` of the answer. */
export type Output<O> = O extends { readonly data: infer S extends TSchema } ? Static<S> : never

/** The same in one flat object. Path, query and body have no name in common; a test checks it. */
export type FlatInput<O> = Part<O, 'params'> & Part<O, 'query'> & Part<O, 'body'>

/** The scopes of which one is required, without `*`; empty for public operations and those that take any token. */
export const requiredScopes = (op: Operation): readonly Scope[] =>
  typeof op.access === 'object' ? acceptedScopes(op.access.anyOf) : []

const smallBodyBytes = 16 * 1024
const largeBodyBytes = 1024 * 1024

/**
 * The largest body of an operation, in bytes: 16 KiB without a token or without fields, so that an unauthenticated client
 * cannot make the server read more; 1 MiB otherwise.
 */
export const maxBodyBytesOf = (op: Operation): number =>
  op.maxBodyBytes ?? (op.access === 'public' || op.body === undefined ? smallBodyBytes : largeBodyBytes)

/** Whether an operation answers with server-sent events, which have no end. */
export const isEventStream = ({ produces }: Operation): boolean => produces?.includes('text/event-stream') === true

/** Every error code of an operation: those of all operations, those of its authentication, and its own. */
export function errorsOf(op: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(['bad_request', 'internal_error'])
  if (op.access !== 'public') codes.add('unauthorized')
  if (typeof op.access === 'object') codes.add('forbidden_scope')
  if (op.touches?.by !== undefined) codes.add(op.touches.kind === 'zone' ? 'forbidden_zone' : 'forbidden')
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
