import type { IncomingMessage } from 'node:http'
import type { Areas, ConsoleAreas, AreaName, OverviewArea, OverviewPart } from '@svc/contract'
import type { MailComposers } from '../ports/mail/outbox/mailer.js'
import type { Account } from '../shared/account.js'
import type { Search } from '../shared/found.js'
import type { Job } from '../shared/job.js'
import type { Document, Download, DownloadDescription, EndpointAnswer, Redirect } from './answer.js'
import type { Context, Handlers } from './handler.js'
import type { ThingNames } from './ruled.js'
import type { BodyStart, BodyWatch } from './read-body.js'

export type { BodyWatch } from './read-body.js'

/** The parts of an area that the server uses. Only `app.ts` has the list of areas. */
export interface Area<Name extends AreaName> {
  /** Its operations: under /v1 and, for a browser session, under /console/api, except in an area of `apiOnlyAreas`. */
  readonly handlers: Handlers<Areas[Name]>
  /** Finds the names of things for the rules of tokens. */
  readonly thingNames?: ThingNames
  /** Operations that exist only under /console/api. */
  readonly console?: { readonly [A in keyof ConsoleAreas]?: Handlers<ConsoleAreas[A]> }
  /** Its part of the console's start page: a few indexed queries. Each call may fail: then the other parts are shown. */
  readonly overview?: Name extends OverviewArea ? Overview<Name> : never
  /** Unauthenticated paths outside the contract. */
  readonly routes?: readonly PublicRoute[]
  /** Unauthenticated paths of the content host. */
  readonly content?: readonly ContentRoute[]
  /** Unauthenticated paths of the content host that take bodies. */
  readonly endpoints?: readonly EndpointRoute[]
  /** Unauthenticated paths of the API's host that take bodies, outside the contract. */
  readonly apiEndpoints?: readonly ApiEndpointRoute[]
  /** The same, but all their answers are plain text, also those to errors. */
  readonly apiTexts?: readonly EndpointRoute[]
  /** Answers requests to the hosts of sites. One area has it. */
  readonly sites?: SiteServer
  /** Its part of the search of the console. */
  readonly search?: Search
  /** Makes e-mails when they are sent, by their kind. */
  readonly mails?: MailComposers
  readonly jobs?: readonly Job[]
  /** Called when the server begins to stop, before it waits for running requests: ends those that could take minutes. */
  readonly stop?: () => void
  /** Called after the last request and the last job have ended, before the database closes. Does not reject. */
  readonly close?: () => Promise<void>
}

/** Reads the part of an area on the console's start page. */
export type Overview<Name extends OverviewArea> = (account: Account) => Promise<OverviewPart<Name>>

/** A document or stored bytes at a path outside the contract, for GET and HEAD. */
export interface PublicRoute {
  /** In the router's spelling. */
  readonly path: string
  readonly answer: (request: PublicRequest) => Document | Redirect | Promise<Document | Download>
  /**
   * Answers a request whose path is not percent-encoded UTF-8: the router cannot read it, so it matches no route.
   * @returns undefined for 400, or the answer of another route
   */
  readonly answerUnreadable?: (request: Pick<PublicRequest, 'path' | 'header'>) => Document | undefined
}

export interface PublicRequest extends ContentRequest {
  /** As it was sent, without the query. */
  readonly path: string
  /** Without parameters that are given twice. */
  readonly query: Readonly<Record<string, string | undefined>>
}

/** Stored bytes at a path of the content host, for GET and HEAD. */
export interface ContentRoute {
  /** Its name in the log and the metrics, such as `content.share`. */
  readonly name: string
  /** In the router's spelling: `/s/:key/:name`. */
  readonly path: string
  /** @returns undefined for 404 */
  readonly answer: (request: ContentRequest) => Promise<Download | undefined>
  /**
   * Looks for the whole answer in memory, before the router. Called for a GET without a body, range or condition whose target, as it
   * was sent, begins as `path` does before its first parameter. No other route begins so.
   * @returns undefined for an answer that is not in memory: then `answer` is called
   */
  readonly findInMemory?: (request: IncomingMessage) => MemoryAnswer | Promise<MemoryAnswer | undefined> | undefined
}

/** An answer from memory. */
export interface MemoryAnswer {
  /** The same object until the answer changes: its headers are kept. */
  readonly head: DownloadDescription | FixedHead
  /** The whole content. Undefined for an answer without content, and if only the head is in memory. */
  readonly bytes?: Buffer | undefined
  /** Called once when the response closes, with the bytes sent: all or 0. Not called if the client leaves during the look-up. */
  readonly onSent?: (bytes: number) => void
}

/** Status and headers of an answer without content, such as a redirect. */
export interface FixedHead {
  readonly status: number
  /** By lower-case name, besides Content-Length and those of every answer of the host. */
  readonly headers: Readonly<Record<string, string>>
}

export interface ContentRequest extends Context {
  /** Decoded parts of the path. */
  readonly params: Readonly<Record<string, string>>
}

/** A path that takes a body and answers with a small one, such as a form of the content host. */
export interface EndpointRoute {
  /** Its name in the log and the metrics, such as `content.form`. */
  readonly name: string
  /** In the router's spelling: `/f/:slug`. */
  readonly path: string
  /** In upper case, HEAD and OPTIONS listed too; `any` for all that Node.js parses, except CONNECT. Others get 405. */
  readonly methods: readonly string[] | 'any'
  /** The largest body in bytes; a longer one is answered with 413. */
  readonly maxBodyBytes: number
  /** Called before the body has arrived. @throws ContentError, ApiError for an error of the client */
  readonly answer: (request: EndpointRequest) => Promise<EndpointAnswer>
  /** As of a `ContentRoute`. */
  readonly findInMemory?: ContentRoute['findInMemory']
}

/** A path of the API's host that takes a body, such as one that devices post to. Answers and errors have the envelope. */
export interface ApiEndpointRoute extends Pick<EndpointRoute, 'name' | 'path' | 'maxBodyBytes'> {
  readonly methods: readonly string[]
  /** Called before the body has arrived. @returns `data` of the envelope @throws ApiError */
  readonly answer: (request: EndpointRequest) => Promise<object>
}

export interface EndpointRequest extends ContentRequest {
  readonly method: string
  /** As `ip`; empty if a trusted proxy has sent something else than an address. */
  readonly clientAddress: string
  /** The path as it was sent, without the query. */
  readonly path: string
  /** The query as it was sent, without the question mark; empty without a query. */
  readonly query: string
  /** Names and values alternate, as they were sent. */
  readonly rawHeaders: readonly string[]
  /**
   * Reads the body to its end, with the deadlines of all bodies.
   * @throws an error of the client for a body that is too long, or if the client leaves before the end; the error of `watch`
   */
  readonly body: (watch?: BodyWatch) => Promise<Buffer>
  /**
   * Reads the body to its end, and keeps at most `maxBodyBytes`. Called once, instead of `body`.
   * @throws ApiError `bad_request` if the client leaves before the end; the error of `watch`
   */
  readonly bodyStart: (watch?: BodyWatch) => Promise<BodyStart>
}

/** Answers GET and HEAD at the hosts of sites. */
export interface SiteServer {
  /** Whether a host outside the sites domain is a site's own domain. Immediately if that is in memory. */
  readonly isOwnDomain: (host: string) => boolean | Promise<boolean>
  /** The answer to GET or HEAD without a range, if it is in memory. */
  readonly findInMemory: (request: SiteRequest) => MemoryAnswer | undefined
  /** @returns undefined for a path without a file @throws ApiError `not_found` for a host without a site */
  readonly answer: (request: SiteRequest) => Promise<Download | FixedHead | undefined>
}

export interface SiteRequest {
  /** In lower case, without port and trailing dot. */
  readonly host: string
  /** As it was sent. */
  readonly target: string
  /** The value of Accept-Encoding. */
  readonly encodings: string | undefined
}
