import type { Caller } from '../../../shared/account.js'
import type { TsigKey } from '../wire/tsig.js'

/** Messages that the nameserver does not answer from its zones alone: transfers, updates, and everything with a TSIG. */

/** Who sent a message. */
export type Signer =
  /** A TSIG key that is a token: an account with its rules and actor, and the scopes of the token. */
  | { readonly kind: 'account'; readonly caller: Caller }
  /** A key of the operator (`svc dns key`), which may transfer, and never update. */
  | { readonly kind: 'operator'; readonly name: string }
  /** Unsigned, from 127.0.0.0/8 or ::1. */
  | { readonly kind: 'loopback' }
  /** Unsigned. */
  | { readonly kind: 'none' }

export interface Client {
  /** An IP address. */
  readonly address: string
  readonly port: number
  readonly transport: 'udp' | 'tcp'
}

/** A message whose signature is right, without its TSIG record: ARCOUNT is one less, and the id is the one that was signed. */
export interface CheckedMessage {
  readonly packet: Buffer
  readonly client: Client
  readonly signer: Signer
  /** Of the request, by which a repeated one is recognized; empty for an unsigned message. */
  readonly mac: Buffer
  /** Aborted at the deadline, and when the connection or the nameserver closes. */
  readonly signal: AbortSignal
}

/**
 * Sends one message of an answer, signed if the request was. The message has the id of `CheckedMessage.packet`.
 * @returns a promise that resolves when the socket takes more @throws Error if the connection has closed
 */
export type Send = (packet: Buffer) => Promise<void>

/** A key that messages may be signed with. */
export interface Key extends TsigKey {
  /**
   * Called after the signature is verified; notes the use.
   * @returns undefined for a key that does not work now or from this address: the answer is BADKEY
   */
  signer(client: Client): Signer | undefined
}

export interface KeyStore {
  /**
   * Finds a key. A key that was revoked in any process is not found from the next message on.
   * @param name in lower case, without the last dot @returns undefined for an unknown name
   */
  byName(name: string): Promise<Key | undefined>
}

/** The keys of accounts. */
export interface AccountKeyStore extends KeyStore {
  /**
   * Finds the key of a token for a message of svc to an address. Notes no use.
   * @returns undefined for an unknown key, and one that does not work now or with this address
   */
  forAddress(tokenId: number, address: string): Promise<{ readonly key: TsigKey; readonly caller: Caller } | undefined>
}

/** What answers the messages. A kind of message without a handler is refused. */
export interface ProtocolHandlers {
  /**
   * Answers AXFR and IXFR, over UDP too. Not called for unsigned messages that are not from loopback.
   * @throws Error to answer SERVFAIL, if nothing was sent yet, and to close the connection otherwise
   */
  readonly transfer?: (message: CheckedMessage, send: Send) => Promise<void>

  /** Applies an UPDATE (RFC 2136). Called only for keys of accounts. @returns the RCODE @throws Error to answer SERVFAIL */
  readonly update?: (message: CheckedMessage) => Promise<number>

  /** Takes a NOTIFY (RFC 1996). @returns the RCODE @throws Error to answer SERVFAIL */
  readonly notify?: (message: CheckedMessage) => Promise<number>

  /**
   * Answers a signed question from zones that only some keys may see, such as the catalog.
   * @returns undefined for a question that the public zones answer
   */
  readonly answer?: (message: CheckedMessage) => Buffer | undefined
}

export interface Protocols {
  readonly keys: KeyStore
  readonly handlers: ProtocolHandlers
}
