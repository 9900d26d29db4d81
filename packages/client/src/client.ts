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
import { createCaller, type ClientOptions, type Answer } from './call.js'
import type { AnyInput } from './request.js'

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

type Call<O> = [keyof FlatInput<O>] extends [never]
  ? () => Promise<Result<O>>
  : Record<never, never> extends FlatInput<O>
    ? (input?: CallInput<O>) => Promise<Result<O>>
    : (input: CallInput<O>) => Promise<Result<O>>

type Calls<Area> = { readonly [Name in keyof Area as Area[Name] extends Operation ? Name : never]: Call<Area[Name]> }

/** Every operation of /v1: `client.dns.recordCreate({ … })`. */
export type Client = { readonly [Area in keyof Areas]: Calls<Areas[Area]> }

/** The operations of `/console/api`: its own, and those of /v1 without `apiOnlyAreas`. */
export type ConsoleClient = Omit<Client, ApiOnlyArea> & {
  readonly [Area in keyof ConsoleAreas]: Calls<ConsoleAreas[Area]>
}

/**
 * Creates a client with a method for each operation of the contract: `client.dns.recordCreate({ … })`.
 * Each method takes one flat object and throws the errors of `Caller`.
 */
export function createClient(options: ClientOptions & { readonly door: 'console' }): ConsoleClient
export function createClient(options: ClientOptions & { readonly door?: 'bearer' | undefined }): Client
export function createClient(options: ClientOptions): Client | ConsoleClient {
  const call = createCaller(options)
  const client: Record<string, Record<string, (input?: AnyInput) => Promise<unknown>>> = {}
  for (const op of options.door === 'console' ? consoleClientOperations : operations) {
    const area = (client[areaOf(op)] ??= {})
    area[nameOf(op)] = async (input) => resultOf(await call(op, input))
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
