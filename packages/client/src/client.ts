import {
  areaOf,
  consoleOperations,
  nameOf,
  operations,
  type Areas,
  type ConsoleAreas,
  type FlatInput,
  type Kind,
  type Operation,
  type Output,
} from '@svc/contract'
import { createCaller, type ClientOptions, type Answer } from './call.js'
import type { AnyInput } from './request.js'

/** What one call takes. Fields that may be left out may be undefined as well: they are not sent. */
export type CallInput<O> = {
  [Field in keyof FlatInput<O>]: Record<never, never> extends Pick<FlatInput<O>, Field>
    ? FlatInput<O>[Field] | undefined
    : FlatInput<O>[Field]
}

/** `data` of JSON operations, the text of documents (or `data`, where it is asked for), the response of streams. */
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

/** What the console's door offers: its own operations, and those of /v1 but for the documents. */
export type ConsoleClient = Omit<Client, 'catalogue'> & {
  readonly [Area in keyof ConsoleAreas]: Calls<ConsoleAreas[Area]>
}

/**
 * A client whose methods are the operations of the contract.
 * Each takes one flat object and throws as `Caller` says.
 */
export function createClient(options: ClientOptions & { readonly door: 'console' }): ConsoleClient
export function createClient(options: ClientOptions & { readonly door?: 'bearer' | undefined }): Client
export function createClient(options: ClientOptions): Client | ConsoleClient {
  const call = createCaller(options)
  const client: Record<string, Record<string, (input?: AnyInput) => Promise<unknown>>> = {}
  for (const op of options.door === 'console' ? behindConsole : operations) {
    const area = (client[areaOf(op)] ??= {})
    area[nameOf(op)] = async (input) => resultOf(await call(op, input))
  }
  // Made from the same declarations as the types are; a test holds the two together.
  return client as unknown as Client | ConsoleClient
}

const behindConsole = [...operations.filter((op) => areaOf(op) !== 'catalogue'), ...consoleOperations]

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
