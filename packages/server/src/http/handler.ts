import type { Input, Operation, Output } from '@svc/contract'
import type { Caller } from '../shared/account.js'
import type { Document, LongJson, RawJson, Redirect, WithHeaders } from './answer.js'

/** What any handler may know of the request besides its input. */
export interface Context {
  /** The caller's address, behind trusted proxies theirs; an IPv4-mapped address reads as IPv4. */
  readonly ip: string
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Whether the peer on the socket is one of the operator's proxies, so that its headers can be believed. */
  readonly behindTrustedProxy: boolean
}

/** What a handler of an operation that is not public knows: the same through every door. */
export type CallerContext = Context & Caller

type ContextOf<O> = O extends { readonly access: 'public' } ? Context : CallerContext

type Answer<O> = O extends { readonly kind: 'json' }
  ? Output<O> | WithHeaders<Output<O>> | RawJson | LongJson | Redirect
  : Output<O> | RawJson | Document

/** Does one operation. Throws ApiError for what the caller did wrong. */
export type Handler<O> = (input: Input<O>, context: ContextOf<O>) => Answer<O> | Promise<Answer<O>>

/** A handler for each operation of an area, by the name it is exported under: does not compile while one is missing. */
export type Handlers<Area> = {
  readonly [Name in keyof Area as Area[Name] extends Operation ? Name : never]: Handler<Area[Name]>
}

/** A handler whose operation is known at run time only. */
export type AnyHandler = (input: never, context: never) => unknown
