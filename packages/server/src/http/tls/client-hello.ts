/** What a client asks for in its first message (RFC 8446, section 4.1.2), before any work is done for it. */
export interface ClientHello {
  /** The host name of the extension server_name, in lower case; undefined without one. */
  readonly serverName: string | undefined
  /** The protocols of the extension ALPN. */
  readonly protocols: readonly string[]
}

export type ReadHello =
  | { readonly kind: 'hello'; readonly hello: ClientHello }
  /** More bytes must arrive. */
  | { readonly kind: 'incomplete' }
  /** A request of HTTP without TLS. */
  | { readonly kind: 'http' }
  /** @param alert the number of the alert to answer with */
  | { readonly kind: 'malformed'; readonly alert: number }

/** Numbers of alerts (RFC 8446, section 6). */
export const alerts = { unexpectedMessage: 10, recordOverflow: 22, decodeError: 50, unrecognizedName: 112 } as const

/**
 * The longest accepted message. Browsers send less than 2 kB, with a key of ML-KEM. OpenSSL would accept 128 kB.
 */
const helloMaxBytes = 16 * 1024
const recordMaxBytes = 16 * 1024

/** Records that a message may be split into. Each costs a turn of the loop, and no known client sends more than two. */
const recordsMax = 16
const handshakeRecord = 22
const clientHello = 1
const extensions = { serverName: 0, alpn: 16 } as const

/** A record as a client sends it: a type, the version, and the length of the content. */
const recordHead = 5
/** The type of the message, and its length in three bytes. */
const messageHead = 4

/** Reads the first message of a connection. Its time is linear in the length, and it copies nothing unless records split the message. */
export function readClientHello(bytes: Buffer): ReadHello {
  if (bytes.length > 0 && bytes[0] !== handshakeRecord) return notTls(bytes)
  const content: Buffer[] = []
  let length = 0
  let wanted = messageHead
  for (let at = 0; length < wanted;) {
    const size = bytes.length >= at + recordHead ? bytes.readUInt16BE(at + 3) : undefined
    if (size === undefined) return { kind: 'incomplete' }
    if (bytes[at] !== handshakeRecord || bytes[at + 1] !== 3 || size === 0)
      return { kind: 'malformed', alert: alerts.unexpectedMessage }
    if (size > recordMaxBytes) return { kind: 'malformed', alert: alerts.recordOverflow }
    const piece = bytes.subarray(at + recordHead, at + recordHead + size)
    if (content.push(piece) > recordsMax) return { kind: 'malformed', alert: alerts.decodeError }
    length += piece.length
    at += recordHead + size
    if (wanted === messageHead && length >= messageHead) {
      const head = content.length === 1 ? piece : Buffer.concat(content)
      if (head[0] !== clientHello) return { kind: 'malformed', alert: alerts.unexpectedMessage }
      wanted = messageHead + head.readUIntBE(1, 3)
      if (wanted > helloMaxBytes) return { kind: 'malformed', alert: alerts.decodeError }
    }
    if (piece.length < size && length < wanted) return { kind: 'incomplete' }
  }
  const message = (content.length === 1 ? content[0] : Buffer.concat(content)) as Buffer
  const hello = parse(new Reader(message.subarray(messageHead, wanted)))
  return hello ? { kind: 'hello', hello } : { kind: 'malformed', alert: alerts.decodeError }
}

/** Requests of HTTP begin with a method in upper case. */
const notTls = (bytes: Buffer): ReadHello =>
  /^[A-Z]{1,8}/.test(bytes.toString('latin1', 0, 8))
    ? { kind: 'http' }
    : { kind: 'malformed', alert: alerts.unexpectedMessage }

/** Reads the fields of a message one after the other. A field beyond its end makes all later ones undefined. */
class Reader {
  constructor(private rest: Buffer | undefined) {}

  get isAtEnd(): boolean {
    return this.rest === undefined || this.rest.length === 0
  }

  get isBroken(): boolean {
    return this.rest === undefined
  }

  bytes(count: number): Buffer | undefined {
    const { rest } = this
    const isThere = rest !== undefined && rest.length >= count
    this.rest = isThere ? rest.subarray(count) : undefined
    return isThere ? rest.subarray(0, count) : undefined
  }

  number(size: 1 | 2): number | undefined {
    return this.bytes(size)?.readUIntBE(0, size)
  }

  /** A field behind its length. */
  vector(lengthSize: 1 | 2): Buffer | undefined {
    const length = this.number(lengthSize)
    return length === undefined ? undefined : this.bytes(length)
  }
}

/** @returns undefined if it is malformed; OpenSSL checks the rest */
function parse(message: Reader): ClientHello | undefined {
  // Version and random.
  message.bytes(2 + 32)
  const hasSessionAndCiphers = message.vector(1) && message.vector(2) && message.vector(1)
  if (!hasSessionAndCiphers) return undefined
  // TLS 1.2 allows a message without extensions.
  if (message.isAtEnd) return { serverName: undefined, protocols: [] }
  const list = new Reader(message.vector(2))
  let serverName: string | undefined
  let protocols: readonly string[] = []
  while (!list.isAtEnd) {
    const type = list.number(2)
    const body = list.vector(2)
    if (body === undefined) return undefined
    if (type === extensions.serverName) serverName = serverNameIn(new Reader(new Reader(body).vector(2)))
    else if (type === extensions.alpn) protocols = protocolsIn(new Reader(new Reader(body).vector(2)))
  }
  return list.isBroken ? undefined : { serverName, protocols }
}

const hostName = /^[\w.-]{1,255}$/

/** The first host name (RFC 6066, section 3). @returns an empty text, which no certificate has, if it is not a valid host name; undefined without one */
function serverNameIn(list: Reader): string | undefined {
  const type = list.number(1)
  const name = list.vector(2)?.toString('latin1').toLowerCase()
  if (type !== 0 || name === undefined) return undefined
  return hostName.test(name) ? name : ''
}

function protocolsIn(list: Reader): readonly string[] {
  const protocols: string[] = []
  while (!list.isAtEnd) {
    const name = list.vector(1)
    if (name) protocols.push(name.toString('latin1'))
  }
  return protocols
}
