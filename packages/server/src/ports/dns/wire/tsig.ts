import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { TsigAlgorithm } from '@svc/contract/limits'
import { nameMax, writeName } from './names.js'
import {
  findTsig,
  MalformedMessage,
  keyNameText,
  time48,
  timers,
  tsigSize,
  tsigVariables,
  u16,
  withoutTsig,
  withTsig,
  type Tsig,
} from './tsig-record.js'

/** Transaction signatures (RFC 8945): signs and verifies messages with a shared secret. Pure functions on octets. */

const hashes = {
  'hmac-sha256': { hash: 'sha256', size: 32 },
  'hmac-sha512': { hash: 'sha512', size: 64 },
} as const satisfies Record<TsigAlgorithm, { hash: string; size: number }>

/** A new secret in Base64, with as many octets as the hash of the algorithm has (RFC 2104, section 3). */
export const newTsigSecret = (algorithm: TsigAlgorithm): string =>
  randomBytes(hashes[algorithm].size).toString('base64')

export interface TsigKey {
  /** In lower case, without the last dot. */
  readonly name: string
  readonly algorithm: TsigAlgorithm
  readonly secret: Buffer
}

/** Error codes in a TSIG record (RFC 8945, section 3). */
export const tsigError = { none: 0, badSig: 16, badKey: 17, badTime: 18, badTrunc: 22 } as const

/** Seconds by which the clocks of both sides may differ (RFC 8945, section 10). A request cannot extend it. */
export const fudgeMax = 300

/** The result of a check. `formErr`: the MAC has a size that the RFC excludes. */
export type Verdict = 'valid' | 'formErr' | 'badKey' | 'badSig' | 'badTrunc' | 'badTime'

const wireName = (text: string): Buffer => {
  const octets = Buffer.alloc(nameMax + 1)
  return octets.subarray(0, writeName(text, octets, 0))
}

/** Whether a record was made with the algorithm of the key. */
const hasAlgorithm = (tsig: Tsig, { algorithm }: TsigKey): boolean => keyNameText(tsig.algorithm) === algorithm

type Hmac = ReturnType<typeof createHmac>

const hmacOf = ({ algorithm, secret }: TsigKey): Hmac => createHmac(hashes[algorithm].hash, secret)

/** Whether a request has a MAC of a size that a client may send. @param macSize of the algorithm, in octets */
const isPossibleSize = (size: number, macSize: number): boolean =>
  size <= macSize && size >= Math.max(10, Math.ceil(macSize / 2))

/**
 * Verifies the signature of a request, in the order of RFC 8945, section 5.2: key, MAC, time. Truncated MACs are refused.
 * @param now in seconds since the epoch
 */
export function verifyRequest(packet: Buffer, tsig: Tsig, key: TsigKey, now: number): Verdict {
  if (!hasAlgorithm(tsig, key)) return 'badKey'
  const { size } = hashes[key.algorithm]
  if (!isPossibleSize(tsig.mac.length, size)) return 'formErr'
  const mac = hmacOf(key).update(withoutTsig(packet, tsig)).update(tsigVariables(tsig)).digest()
  if (!timingSafeEqual(mac.subarray(0, tsig.mac.length), tsig.mac)) return 'badSig'
  if (tsig.mac.length < size) return 'badTrunc'
  return isInTime(tsig, now) ? 'valid' : 'badTime'
}

const isInTime = ({ timeSigned, fudge }: Tsig, now: number): boolean =>
  Math.abs(now - timeSigned) <= Math.min(fudge, fudgeMax)

/** What an error adds to a signature. */
interface SignedError {
  readonly error: number
  /** Of the TSIG, in seconds since the epoch. */
  readonly timeSigned: number
  readonly other: Buffer
}

/** Signs a request, or the messages of an answer in their order (RFC 8945, section 5.3.1). Every message gets a TSIG. */
export class TsigSigner {
  private readonly names: Pick<Tsig, 'keyName' | 'algorithm'>
  private isFirst = true
  private prior: Buffer | undefined

  /** @param requestMac of the request that is answered; undefined for a request */
  constructor(
    private readonly key: TsigKey,
    requestMac?: Buffer,
  ) {
    this.names = { keyName: wireName(key.name), algorithm: wireName(key.algorithm) }
    this.prior = requestMac
  }

  /** The MAC of the message before, with which the answers to a request are verified. */
  get mac(): Buffer {
    return this.prior ?? Buffer.alloc(0)
  }

  /** The octets that each message grows by. */
  get size(): number {
    return tsigSize(this.names.keyName, this.names.algorithm, hashes[this.key.algorithm].size)
  }

  /** @param now in seconds since the epoch @returns a signed copy */
  sign(
    message: Buffer,
    now: number,
    { error, timeSigned, other }: SignedError = { error: 0, timeSigned: now, other: Buffer.alloc(0) },
  ): Buffer {
    const fields = { ...this.names, timeSigned, fudge: fudgeMax, error, other }
    const hmac = hmacOf(this.key)
    if (this.prior !== undefined) hmac.update(u16(this.prior.length)).update(this.prior)
    hmac.update(message).update(this.isFirst ? tsigVariables(fields) : timers(fields))
    const mac = hmac.digest()
    this.prior = mac
    this.isFirst = false
    return withTsig(message, { ...fields, mac, originalId: message.readUInt16BE(0) })
  }
}

/** Signs the answer to a request whose time does not fit: the client learns the time of the server (RFC 8945, section 5.2.3). */
export const badTime = ({ timeSigned }: Tsig, now: number): SignedError => ({
  error: tsigError.badTime,
  timeSigned,
  other: time48(now),
})

/** A copy of an answer with a TSIG that has an error and no MAC (RFC 8945, section 5.3.2). */
export const withUnsignedError = (message: Buffer, request: Tsig, error: number): Buffer =>
  withTsig(message, { ...request, fudge: fudgeMax, mac: Buffer.alloc(0), error, other: Buffer.alloc(0) })

/** An answer without a valid signature. */
export class UntrustedAnswer extends Error {}

/** Messages without a TSIG that may follow one with a TSIG (RFC 8945, section 5.3.1). */
const unsignedMax = 99

const names = new Map<number, string>(Object.entries(tsigError).map(([name, code]) => [code, name.toUpperCase()]))

/** Verifies the messages of an answer to a signed request, in their order. */
export class TsigVerifier {
  private hmac: Hmac
  private isFirst = true
  private unsigned = 0

  /** @param prior `TsigSigner.mac` after the request was signed; later the MAC of the last signed message */
  constructor(
    private readonly key: TsigKey,
    private prior: Buffer,
  ) {
    this.hmac = this.begin()
  }

  private begin(): Hmac {
    return hmacOf(this.key).update(u16(this.prior.length)).update(this.prior)
  }

  /** Whether the last message had a signature. The first and the last of an answer must have one. */
  get isSigned(): boolean {
    return !this.isFirst && this.unsigned === 0
  }

  /**
   * @param now in seconds since the epoch
   * @returns the message without its TSIG, with the id that it was signed with
   * @throws UntrustedAnswer. Over UDP, the right answer may follow a forged one: verify it too.
   */
  verify(packet: Buffer, now: number): Buffer {
    const tsig = tsigOf(packet)
    if (tsig === undefined) return this.addUnsigned(packet)
    const message = withoutTsig(packet, tsig)
    const name = names.get(tsig.error) ?? String(tsig.error)
    if (tsig.mac.length === 0 && tsig.error !== 0) throw new UntrustedAnswer(`The server refuses the key: ${name}.`)
    if (keyNameText(tsig.keyName) !== this.key.name || !hasAlgorithm(tsig, this.key))
      throw new UntrustedAnswer('The answer is signed with another key.')
    const mac = this.hmac
      .update(message)
      .update(this.isFirst ? tsigVariables(tsig) : timers(tsig))
      .digest()
    // A finished HMAC cannot be used again.
    this.hmac = this.begin()
    if (mac.length !== tsig.mac.length || !timingSafeEqual(mac, tsig.mac))
      throw new UntrustedAnswer('The signature of the answer is wrong.')
    if (tsig.error !== 0) throw new UntrustedAnswer(`The server refuses the request: ${name}.`)
    if (!isInTime(tsig, now)) throw new UntrustedAnswer('The clocks of this machine and of the server differ.')
    this.prior = mac
    this.hmac = this.begin()
    this.isFirst = false
    this.unsigned = 0
    return message
  }

  private addUnsigned(packet: Buffer): Buffer {
    if (this.isFirst) throw new UntrustedAnswer('The answer is not signed.')
    if (++this.unsigned > unsignedMax) throw new UntrustedAnswer('Too many messages of the answer are not signed.')
    this.hmac.update(packet)
    return packet
  }
}

/** @throws UntrustedAnswer */
function tsigOf(packet: Buffer): Tsig | undefined {
  try {
    return findTsig(packet)
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error
    throw new UntrustedAnswer(`The answer is malformed: ${error.message}`, { cause: error })
  }
}
