import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { CallerContext } from './handler.js'
import type { Account, Caller } from '../shared/account.js'
import type { TokenScope } from '@svc/contract'

/** Whether an address is one of the operator's proxies. */
export type TrustedProxies = (address: string, hop: number) => boolean

/** What a handler sees of a request. Computed at each access, because most handlers use little of it. */
export class RequestContext implements CallerContext {
  constructor(
    private readonly request: FastifyRequest,
    private readonly trusted: TrustedProxies,
  ) {}

  get ip(): string {
    return plainAddress(this.request.ip) ?? plainAddress(this.#peer) ?? this.#peer
  }

  get behindTrustedProxy(): boolean {
    return this.trusted(this.#peer, 0)
  }

  header = (name: string): string | undefined => {
    const value = this.request.headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  get account(): Account {
    return this.#caller.account
  }

  get scopes(): readonly TokenScope[] {
    return this.#caller.scopes
  }

  get session(): Caller['session'] {
    return this.#caller.session
  }

  get #peer(): string {
    return this.request.socket.remoteAddress ?? ''
  }

  get #caller(): Caller {
    if (this.request.caller === null) throw new Error('A public operation has no caller.')
    return this.request.caller
  }
}

/** Removes the prefix of IPv4-mapped addresses (RFC 4291, 2.5.5.2) and the zone id. @returns undefined for text that is not an address */
function plainAddress(address: string): string | undefined {
  const plain = (address.split('%', 1)[0] ?? '').replace(/^::ffff:(?=\d+\.)/i, '')
  return isIP(plain) === 0 ? undefined : plain
}
