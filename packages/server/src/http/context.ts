import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { ContentRequest } from './area.js'
import type { CallerContext } from './handler.js'
import type { Account, Caller } from '../shared/account.js'
import { isIpv4, parseIpAddress } from '../shared/ip-address.js'
import type { TokenScope } from '@svc/contract'

/** Whether an address is one of the operator's proxies. */
export type TrustedProxies = (address: string, hop: number) => boolean

/** Properties of one request. Computed at each access, because most handlers use few of them. */
export class RequestContext implements CallerContext {
  constructor(
    private readonly request: FastifyRequest,
    private readonly trusted: TrustedProxies,
  ) {}

  get ip(): string {
    return plainAddress(this.request.ip) ?? plainAddress(this.#peer) ?? this.#peer
  }

  get requestId(): string {
    return this.request.id
  }

  get behindTrustedProxy(): boolean {
    return this.trusted(this.#peer, 0)
  }

  get hasLeft(): boolean {
    return this.request.raw.socket.destroyed
  }

  header = (name: string): string | undefined => {
    const value = this.request.headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  get account(): Account {
    const { account } = this.#caller
    return { ...account, actor: { ...account.actor, requestId: this.request.id, ip: this.ip } }
  }

  get scopes(): readonly TokenScope[] {
    return this.#caller.scopes
  }

  get session(): Caller['session'] {
    return this.#caller.session
  }

  get tokenId(): number | null {
    return this.#caller.tokenId
  }

  get #peer(): string {
    return this.request.socket.remoteAddress ?? ''
  }

  get #caller(): Caller {
    if (this.request.caller === null) throw new Error('A public operation has no caller.')
    return this.request.caller
  }
}

/** The address of the client; empty if a trusted proxy has sent something else: the address of the proxy must not stand for it. */
export const clientAddress = (request: FastifyRequest): string => plainAddress(request.ip) ?? ''

/** The same for a request to the content host, which has no caller. */
export class ContentContext extends RequestContext implements ContentRequest {
  readonly params: Readonly<Record<string, string>>

  constructor(request: FastifyRequest, trusted: TrustedProxies) {
    super(request, trusted)
    this.params = request.params as Record<string, string>
  }
}

/**
 * Removes the zone id, and gives IPv4-mapped addresses (RFC 4291, section 2.5.5.2) as IPv4.
 * @returns undefined for text that is not an address
 */
function plainAddress(address: string): string | undefined {
  const plain = address.split('%', 1)[0] ?? ''
  if (isIP(plain) === 0) return undefined
  // Parsing costs a microsecond, and IPv6 addresses keep their spelling: only those that may be IPv4-mapped are parsed.
  const parsed = /:ffff:/i.test(plain) ? parseIpAddress(plain) : undefined
  return parsed !== undefined && isIpv4(parsed) ? parsed.toString() : plain
}
