import {
  areaOf,
  consoleOperations,
  isApiOnly,
  nameOf,
  operations,
  type ApiOnlyArea,
  type Areas,
  type ConsoleAreas,
  type FlatInput,
  type Kind,
  type Operation,
  type Output,
} from '@svc/contract'
import { createCaller, type Answer, type CallOptions, type ClientOptions } from './call.js'
import type { AnyInput, Bytes, NamedFile } from './request.js'

/** The input of a call. Optional fields may be undefined: they are not sent. */
export type CallInput<O> = {
  [Field in keyof FlatInput<O>]: Record<never, never> extends Pick<FlatInput<O>, Field>
    ? FlatInput<O>[Field] | undefined
    : FlatInput<O>[Field]
}

/** `data` of JSON operations, the text of documents (`data` with `format: 'json'`), the response of streams. */
export type Result<O> = O extends { readonly kind: infer K extends Kind }
  ? { json: Output<O>; document: string | Output<O>; stream: Response }[K]
  : never

type JsonCall<O> = [keyof FlatInput<O>] extends [never]
  ? () => Promise<Result<O>>
  : Record<never, never> extends FlatInput<O>
    ? (input?: CallInput<O>) => Promise<Result<O>>
    : (input: CallInput<O>) => Promise<Result<O>>

/** Request headers of a stream, such as Range. */
type StreamCall<O> = (
  input: CallInput<O>,
  options?: Omit<CallOptions, 'bytes' | 'files' | 'onSent'>,
) => Promise<Result<O>>

interface WithRawBody {
  readonly bytes: { readonly field: string }
  readonly otherBodies: object
}

/** Media types of a body that consists of the bytes alone. */
type RawType<O> = O extends WithRawBody ? Exclude<keyof O['otherBodies'], 'multipart/form-data'> : never

type ByteInput<O> = O extends WithRawBody ? Omit<CallInput<O>, O['bytes']['field']> : never

/** Bytes as the whole body, instead of base64 in a field. */
type ByteCall<O> = (input: ByteInput<O>, options: CallOptions & { readonly bytes: Bytes }) => Promise<Result<O>>

/** Several files as a form, instead of base64 in a list. */
type FilesCall<O> = (
  input: ByteInput<O>,
  options: CallOptions & { readonly files: readonly NamedFile[] },
) => Promise<Result<O>>

type Call<O> = O extends { readonly kind: 'stream' }
  ? StreamCall<O>
  : O extends { readonly bytes: { readonly each: object } }
    ? JsonCall<O> & FilesCall<O>
    : [RawType<O>] extends [never]
      ? JsonCall<O>
      : JsonCall<O> & ByteCall<O>

type Calls<Area> = { readonly [Name in keyof Area as Area[Name] extends Operation ? Name : never]: Call<Area[Name]> }

/** Every operation of /v1: `client.dns.recordCreate({ … })`. */
export type Client = { readonly [Area in keyof Areas]: Calls<Areas[Area]> }

/** The operations of `/console/api`: its own, and those of /v1 without `apiOnlyAreas`. */
export type ConsoleClient = Omit<Client, ApiOnlyArea> & {
  readonly [Area in keyof ConsoleAreas]: Calls<ConsoleAreas[Area]>
}

/**
 * Creates a client with a method for each operation of the contract: `client.dns.recordCreate({ … })`.
 * Each method takes one flat object and throws the errors of `Caller`. Operations with a body of bytes and streams take options.
 */
export function createClient(options: ClientOptions & { readonly door: 'console' }): ConsoleClient
export function createClient(options: ClientOptions & { readonly door?: 'bearer' | undefined }): Client
export function createClient(options: ClientOptions): Client | ConsoleClient {
  const call = createCaller(options)
  const client: Record<string, Record<string, (input?: AnyInput, options?: CallOptions) => Promise<unknown>>> = {}
  for (const op of options.door === 'console' ? consoleClientOperations : operations) {
    const area = (client[areaOf(op)] ??= {})
    area[nameOf(op)] = async (input, options) => resultOf(await call(op, input, options))
  }
  // The types are derived from the same declarations; a test compares the names.
  return client as unknown as Client | ConsoleClient
}

const consoleClientOperations = [...operations.filter((op) => !isApiOnly(op)), ...consoleOperations]

function resultOf(answer: Answer): unknown {
  switch (answer.kind) {
    case 'json':
      return answer.envelope.data
    case 'document':
      return answer.text
    case 'stream':
      return answer.response
  }
}
