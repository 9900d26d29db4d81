import type { Input, Operation, Output } from '@svc/contract'
import type { Caller } from '../shared/account.js'
import type { Document, Download, EventStream, LongJson, RawJson, Redirect, TextFile, WithHeaders } from './answer.js'
import type { Staged, StagedFiles } from './staged.js'

/** Properties of the request, for every handler. */
export interface Context {
  /** The client's address; the proxies' own addresses are skipped. An IPv4-mapped address is given as IPv4. */
  readonly ip: string
  readonly requestId: string
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Whether the peer of the socket is one of the operator's proxies, so that its headers can be trusted. */
  readonly behindTrustedProxy: boolean
  /** Whether the connection of the client is closed: no client reads the answer. */
  readonly hasLeft: boolean
}

/** Context of an authenticated operation, the same at every door. */
export type CallerContext = Context & Caller

type ContextOf<O> = O extends { readonly access: 'public' } ? Context : CallerContext

type Answer<O> = O extends { readonly kind: 'json' }
  ? Output<O> | WithHeaders<Output<O>> | RawJson | LongJson | Redirect
  : Output<O> | RawJson | Document | Download | TextFile | EventStream

/** Executes one operation. @throws ApiError for an error of the caller */
export type Handler<O> = (input: Input<O>, context: ContextOf<O>) => Answer<O> | Promise<Answer<O>>

type FieldOfBytes<O> = O extends { readonly bytes: { readonly field: infer F extends string } } ? F : never

/** The input of an operation with bytes: the bytes are stored, and the other fields are checked. */
export interface StagedInput<O> extends Omit<Input<O>, 'body'> {
  readonly body: Omit<Input<O>['body'], FieldOfBytes<O>>
  readonly bytes: O extends { readonly bytes: { readonly each: object } } ? StagedFiles : Staged
}

/** The input of an operation with bytes that are in memory. */
export interface SmallInput<O> extends Omit<StagedInput<O>, 'bytes'> {
  readonly bytes: Buffer
}

/** How many bytes a caller may send. The reasons are sentences for the caller: why more are refused. */
export interface ByteLimits {
  /** In this request. */
  readonly request: { readonly max: number; readonly reason: string }
  /** In each file of an operation with several; undefined without a limit. */
  readonly file?: { readonly max: number; readonly reason: string }
  /** In all running requests of the account together. @property reason takes the bytes of the other requests */
  readonly account: { readonly max: number; readonly reason: (others: number) => string }
}

/** Executes an operation with bytes. */
export interface ByteHandler<O> {
  /**
   * Called before the first byte is stored, and again if other requests of the account seem to have used its room.
   * @param known the other fields; empty for forms, and for JSON in which a required field follows the bytes
   * @throws ApiError to refuse all bytes
   */
  readonly limit: (context: ContextOf<O>, known: Partial<StagedInput<O>['body']>) => Promise<ByteLimits>
  /** Called when all bytes are stored. @throws ApiError for an error of the caller */
  readonly handle: (input: StagedInput<O>, context: ContextOf<O>) => Answer<O> | Promise<Answer<O>>
  /** Handles few bytes in memory, without an object in the blob store. */
  readonly small?: {
    /** The maximum; more bytes are stored as an object. */
    readonly maxBytes: number
    readonly handle: (input: SmallInput<O>, context: ContextOf<O>) => Answer<O> | Promise<Answer<O>>
  }
}

type HandlerOf<O> = O extends { readonly bytes: object } ? ByteHandler<O> : Handler<O>

/** A handler for each operation of an area, by the name of its export. A missing one is a compile error. */
export type Handlers<Area> = {
  readonly [Name in keyof Area as Area[Name] extends Operation ? Name : never]: HandlerOf<Area[Name]>
}

/** A handler whose operation is known at run time only. */
export type AnyHandler = ((input: never, context: never) => unknown) | ByteHandler<never>
