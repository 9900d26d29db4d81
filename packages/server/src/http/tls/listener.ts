import { constants, randomBytes } from 'node:crypto'
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net'
import { createServer, type SecureContext, type Server, type TlsOptions, type TLSSocket } from 'node:tls'
import type { Logger } from 'pino'
import {
  findUsable,
  type Certificate,
  type CertificateSource,
  type OpenChallenges,
} from '../../ports/certificates/port.js'
import { networkOf } from '../../shared/network-of.js'
import { endWith } from '../client-errors.js'
import { keepAccepting, type Connections } from '../connections.js'
import { alerts, readClientHello, type ClientHello, type ReadHello } from './client-hello.js'
import { HandshakeQueue, type HandshakeOutcome } from './handshake-queue.js'
import { SecureContexts } from './secure-contexts.js'

export interface ListenerOptions {
  readonly certificates: CertificateSource
  readonly challenges: OpenChallenges
  /** The name whose certificate clients get that send none: old ones, and those that connect to an IP address. */
  readonly defaultName: string
  readonly connections: Connections
  /** From the connection to the end of the handshake, in milliseconds. */
  readonly deadlineMs: number
  readonly log: Logger
  readonly metrics?: { readonly handshake: (outcome: HandshakeOutcome) => void } | undefined
  /** Gets the connection after the handshake. */
  readonly serve: (socket: TLSSocket) => void
}

/** A connection before the end of its handshake. */
interface Waiting {
  readonly deadline: NodeJS.Timeout
  /** Whether OpenSSL has its first message. */
  hasBegun: boolean
  /** Undefined before its first message, and if that gets no certificate. */
  served?: ServedName
}

/** The name that a connection with TLS was opened for. */
export interface ServedName extends Pick<Certificate, 'since' | 'isOfAccount'> {
  readonly name: string
}

/** In TLS 1.2, whoever learns these keys can read the connections that they have resumed. */
const ticketKeysMs = 6 * 3_600_000

/**
 * TLS 1.2 and 1.3 with forward secrecy and authenticated encryption only (RFC 9325). AES-128 first: it takes the least CPU time.
 * A renegotiation costs as much as a handshake, and the client decides when.
 */
const protocol: TlsOptions = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
  honorCipherOrder: true,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
}

/** How long a client may leave the connection of a challenge open. */
const lingerMs = 2_000

/** The protocol of tls-alpn-01 (RFC 8737, section 6.2). */
const acmeProtocol = 'acme-tls/1'

/**
 * The port of TLS. It reads the first message of a client itself, before OpenSSL: so a name without a certificate costs microseconds
 * instead of half a millisecond, gets the alert that Node.js cannot send, and handshakes wait in a fair queue.
 */
export class TlsListener {
  readonly server: NetServer
  readonly #tls: Server
  readonly #contexts: SecureContexts
  readonly #queue = new HandshakeQueue()
  /** Connections before the end of their handshake. */
  readonly #waiting = new Map<Socket, Waiting>()
  readonly #served = new WeakMap<Socket, ServedName>()
  readonly #rotation: NodeJS.Timeout
  readonly #stopFollowing: () => void
  #default: Certificate | undefined
  #ticketKeys = randomBytes(48)

  constructor(private readonly options: ListenerOptions) {
    const { certificates, connections, log } = options
    this.#contexts = new SecureContexts(certificates)
    // Not half-open: a client that leaves in the handshake is gone.
    this.server = createNetServer({ noDelay: true }, (socket) => {
      this.#accept(socket)
    })
    keepAccepting(this.server, log)
    connections.limit(this.server)
    this.#tls = this.#tlsServer()
    this.#useDefault()
    this.#stopFollowing = certificates.onChange(() => {
      if (certificates.find(options.defaultName) !== this.#default) this.#useDefault()
    })
    this.#rotation = setInterval(() => {
      this.#ticketKeys = randomBytes(48)
      this.#useDefault()
    }, ticketKeysMs).unref()
  }

  /** The name that a connection was opened for; undefined for one without TLS. */
  servedOf = (socket: Socket): ServedName | undefined => this.#served.get(socket)

  /** Stops accepting, ends handshakes, and resolves when all connections are closed. */
  async close(): Promise<void> {
    clearInterval(this.#rotation)
    this.#stopFollowing()
    this.#contexts.stop()
    this.#queue.stop()
    for (const socket of this.#waiting.keys()) socket.destroy()
    if (!this.server.listening) return
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve())
    })
  }

  #tlsServer(): Server {
    const { certificates, serve, log } = this.options
    const server = createServer({
      ...protocol,
      ALPNProtocols: ['http/1.1'],
      SNICallback: (name, done) => {
        const certificate = findUsable(certificates, name.toLowerCase())
        let context: SecureContext | undefined
        try {
          context = certificate && this.#contexts.of(certificate)
        } catch (error) {
          log.error({ err: error }, `OpenSSL refuses the certificate for ${name}`)
          done(error as Error)
          return
        }
        done(null, context)
      },
    })
    server.on('secureConnection', (socket) => {
      const tcp = tcpOf(socket)
      const served = tcp && this.#waiting.get(tcp)?.served
      this.#count(tcp, 'ok')
      // Without its name, no rule about names could be applied.
      if (served === undefined) {
        socket.destroy()
        return
      }
      this.#served.set(socket, served)
      serve(socket)
    })
    server.on('tlsClientError', (_error, socket) => {
      this.#count(tcpOf(socket), 'failed')
    })
    return server
  }

  /**
   * Sets the certificate for clients that send no name, and the keys of tickets. Both are used for new connections. If OpenSSL refuses the
   * certificate, the former one stays.
   */
  #useDefault(): void {
    const { certificates, defaultName, log } = this.options
    const certificate = findUsable(certificates, defaultName)
    try {
      const { chain: cert, key } = certificate?.pem() ?? {}
      this.#tls.setSecureContext({ ...protocol, cert, key })
      this.#default = certificate
    } catch (error) {
      log.error(
        { err: error },
        `OpenSSL refuses the certificate for ${defaultName}; clients without a name get the former one`,
      )
    }
    this.#tls.setTicketKeys(this.#ticketKeys)
  }

  #accept(socket: Socket): void {
    this.#queue.noteAccept()
    socket.on('error', () => socket.destroy())
    if (!this.options.connections.admit(socket)) return
    const late = () => {
      this.#count(socket, 'late')
      socket.destroy()
    }
    this.#waiting.set(socket, { deadline: setTimeout(late, this.options.deadlineMs), hasBegun: false })
    socket.once('close', () => {
      // A client that has sent no first message, such as a probe, has not failed.
      if (this.#waiting.get(socket)?.hasBegun === true) this.#count(socket, 'failed')
      else this.#end(socket)
    })
    this.#readHello(socket)
  }

  #readHello(socket: Socket): void {
    let bytes: Buffer = Buffer.alloc(0)
    const closed = () => socket.destroy()
    const readable = () => {
      const chunk = socket.read() as Buffer | null
      if (chunk === null) return
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
      const read = readClientHello(bytes)
      if (read.kind === 'incomplete') return
      socket.off('readable', readable).off('end', closed)
      this.#answer(socket, bytes, read)
    }
    socket.on('readable', readable).on('end', closed)
  }

  #answer(socket: Socket, bytes: Buffer, read: Exclude<ReadHello, { kind: 'incomplete' }>): void {
    if (read.kind === 'http') this.#refuse(socket, 'malformed', plainAnswer)
    else if (read.kind === 'malformed') this.#refuse(socket, 'malformed', alert(read.alert))
    else if (read.hello.protocols.includes(acmeProtocol))
      this.#inTurn(socket, () => this.#answerChallenge(socket, bytes, read.hello))
    else {
      const name = read.hello.serverName ?? this.options.defaultName
      if (this.options.certificates.find(name)) this.#inTurn(socket, () => this.#serve(socket, bytes, name))
      else this.#refuse(socket, 'unknown_name', alert(alerts.unrecognizedName))
    }
  }

  #serve(socket: Socket, bytes: Buffer, name: string): void {
    const certificate = findUsable(this.options.certificates, name)
    if (certificate === undefined) {
      this.#refuse(socket, 'unknown_name', alert(alerts.unrecognizedName))
      return
    }
    // The name of the first message: `servername` of Node.js has none after a handshake that resumes a session of TLS 1.2.
    const { since, isOfAccount } = certificate
    const waiting = this.#waiting.get(socket)
    if (waiting) waiting.served = { name, since, isOfAccount }
    this.#handshake(socket, bytes, this.#tls)
  }

  /** Calls `begin` when the network of a connection has its turn, if the connection is still open. */
  #inTurn(socket: Socket, begin: () => void): void {
    const address = socket.remoteAddress ?? ''
    const isLimited = !this.options.connections.isExempt(address)
    const cancel = this.#queue.add(networkOf(address), isLimited, () => {
      socket.off('close', cancel)
      // A destroyed socket emits `close` later.
      if (!socket.destroyed) begin()
    })
    socket.once('close', cancel)
  }

  #handshake(socket: Socket, bytes: Buffer, server: Server): void {
    const waiting = this.#waiting.get(socket)
    if (waiting) waiting.hasBegun = true
    // Node.js reads these bytes first.
    socket.unshift(bytes)
    server.emit('connection', socket)
  }

  /** Presents the certificate of a challenge, and closes the connection: the client sends nothing on it (RFC 8737, section 3). */
  #answerChallenge(socket: Socket, bytes: Buffer, { serverName = '' }: ClientHello): void {
    const answer = async () => {
      const certificate = await this.options.challenges.certificateOf(serverName)
      if (socket.destroyed) return
      if (!certificate) {
        this.#refuse(socket, 'unknown_name', alert(alerts.unrecognizedName))
        return
      }
      const { chain: cert, key } = certificate
      const server = createServer({ ...protocol, cert, key, ALPNProtocols: [acmeProtocol] })
      server.on('secureConnection', (secure) => {
        this.#count(socket, 'ok')
        secure.on('error', () => secure.destroy())
        secure.end()
        const timer = setTimeout(() => secure.destroy(), lingerMs)
        secure.once('close', () => clearTimeout(timer))
      })
      server.on('tlsClientError', () => undefined)
      this.#handshake(socket, bytes, server)
    }
    answer().catch((error: unknown) => {
      this.options.log.error({ err: error }, 'a challenge of ACME could not be answered')
      socket.destroy()
    })
  }

  #refuse(socket: Socket, outcome: HandshakeOutcome, answer: Buffer): void {
    this.#count(socket, outcome)
    endWith(socket, answer)
  }

  /** Ends the handshake of a connection. Only its first outcome counts: that of a late one is followed by a failure. */
  #count(socket: Socket | undefined, outcome: HandshakeOutcome): void {
    if (socket === undefined || !this.#waiting.has(socket)) return
    this.options.metrics?.handshake(outcome)
    this.#end(socket)
  }

  #end(socket: Socket): void {
    clearTimeout(this.#waiting.get(socket)?.deadline)
    this.#waiting.delete(socket)
  }
}

/** The TCP connection of a TLS connection. Not documented. */
const tcpOf = (secure: TLSSocket): Socket | undefined => (secure as TLSSocket & { readonly _parent?: Socket })._parent

/** A fatal alert in a record of its own (RFC 8446, sections 5.1 and 6). */
const alert = (number: number): Buffer => Buffer.from([21, 3, 3, 0, 2, 2, number])

const plainText = 'This port speaks HTTPS only: use a URL with https.\n'
const plainAnswer = Buffer.from(
  `HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\ncontent-length: ${String(plainText.length)}\r\n\r\n${plainText}`,
)
