import type { Logger } from 'pino'
import { isLoopback } from '../../../shared/ip-address.js'
import { throttledLog } from '../../../shared/throttled-log.js'
import { rcode } from '../embedded/codes.js'
import { badTime, TsigSigner, tsigError, verifyRequest, withUnsignedError, type Verdict } from '../wire/tsig.js'
import { findTsig, keyNameText, MalformedMessage, withoutTsig, type Tsig } from '../wire/tsig-record.js'
import { kindOf, type MessageKind } from './kind.js'
import type { CheckedMessage, Client, Key, ProtocolHandlers, Protocols, Send, Signer } from './messages.js'

/** Messages over UDP that are being answered. Further ones are dropped: their clients ask again. */
const udpMax = 256

/** Those of one account, so that its slow or repeated updates leave room for others. */
const udpPerAccount = 64

/** Milliseconds for one message. A transfer may be long, and its client slow. */
const deadlines = { transfer: 300_000, other: 10_000 }

/** Answers from the zones, which the dispatcher needs for signed questions and refusals. */
export interface PlainAnswers {
  /** @param reserved octets that the answer leaves free @returns the answer; undefined for none */
  whole(packet: Buffer, transport: Client['transport'], reserved: number): Buffer | undefined
  /** An answer that has only an RCODE. It is not larger than the question, with its OPT. */
  refusal(packet: Buffer, code: number): Buffer
  /** Counts a refusal by its RCODE. */
  countRefusal(code: number, transport: Client['transport']): void
}

/** A message and how to answer it. */
interface Received {
  readonly packet: Buffer
  readonly client: Client
  readonly send: Send
  /** Aborted when the connection closes. */
  readonly closed: AbortSignal | undefined
  /** Closes the connection. */
  readonly end: () => void
  /** The answer of the public zones, which has been counted. Undefined for a message that they do not answer alone. */
  readonly plain?: Buffer | undefined
}

/** What the check of a signature has found. */
interface Checked {
  readonly signer: Signer
  readonly mac: Buffer
  /** Octets that the signature of the answer takes. */
  readonly reserved: number
}

/** Checks the signatures of messages, and gives each to its handler. */
export class Dispatcher {
  /** Set once the server has connected its parts. Until then, the clients of signed messages, transfers and updates are told to try again. */
  protocols: Protocols | undefined
  private readonly running = new Set<Promise<void>>()
  private readonly closing = new AbortController()
  private udp = 0
  /** Updates over UDP that are being answered, by account. */
  private readonly udpUpdates = new Map<number, number>()
  private readonly logFailure: ReturnType<typeof throttledLog>

  constructor(
    private readonly answers: PlainAnswers,
    log: Logger,
  ) {
    this.logFailure = throttledLog(log, 'the nameserver could not answer a signed message, a transfer or an update')
  }

  /** Whether there may be an answer for a question from this address that the public zones refuse. */
  mayAnswer(address: string): boolean {
    return this.protocols?.handlers.answer !== undefined && isLoopback(address)
  }

  /**
   * Answers a message over UDP, unless too many are being answered.
   * @param packet not changed afterwards
   * @param plain as of `Received`
   */
  receiveUdp(packet: Buffer, address: string, port: number, send: (reply: Buffer) => void, plain?: Buffer): void {
    if (this.udp >= udpMax) return
    this.udp++
    const client: Client = { address, port, transport: 'udp' }
    const sent: Send = async (reply) => {
      send(reply)
    }
    const received: Received = { packet, client, send: sent, closed: undefined, end: noConnection, plain }
    void this.receive(received).finally(() => this.udp--)
  }

  /** Answers a message. The promise never rejects. @param received its packet is not changed afterwards */
  receive(received: Received): Promise<void> {
    if (this.closing.signal.aborted) return Promise.resolve()
    const answered = this.answer(received).finally(() => this.running.delete(answered))
    this.running.add(answered)
    return answered
  }

  /** Aborts what is running, and waits for it. */
  async close(): Promise<void> {
    this.closing.abort()
    await Promise.all(this.running)
  }

  private async answer(received: Received): Promise<void> {
    const { closed } = received
    const counted = countSent(received.send)
    try {
      await this.check({ ...received, send: counted.send })
    } catch (error) {
      if (closed?.aborted === true) return
      this.logFailure(error)
      // After a part of an answer, only the end of the connection tells the client.
      if (counted.sent() > 0) received.end()
      else await this.refuse(received, rcode.servFail).catch(ignoreClosed)
    }
  }

  private async check(received: Received): Promise<void> {
    const { packet, client, send } = received
    const tsig = tsigOf(packet)
    if (tsig === 'malformed') return this.refuse(received, rcode.formErr)
    const { protocols } = this
    if (protocols === undefined) return this.refuse(received, rcode.servFail)
    if (tsig === undefined) {
      const signer: Signer = isLoopback(client.address) ? { kind: 'loopback' } : { kind: 'none' }
      return this.handle(received, { signer, mac: Buffer.alloc(0), reserved: 0 }, protocols.handlers)
    }
    const name = keyNameText(tsig.keyName)
    const key = name === undefined ? undefined : await protocols.keys.byName(name)
    const badKey = () => this.sendRefusal(received, rcode.notAuth, this.unsigned(packet, tsig, tsigError.badKey))
    if (key === undefined) return badKey()
    const now = seconds()
    const verdict = verifyRequest(packet, tsig, key, now)
    if (verdict !== 'valid') {
      const code = verdict === 'formErr' ? rcode.formErr : rcode.notAuth
      return this.sendRefusal(received, code, this.refused({ packet, tsig, key, now }, verdict))
    }
    const signer = key.signer(client)
    if (signer === undefined) return badKey()
    const signature = new TsigSigner(key, tsig.mac)
    const signed: Send = (reply) => {
      const whole = signature.sign(reply, seconds())
      packet.copy(whole, 0, 0, 2)
      return send(whole)
    }
    const message = { ...received, packet: withoutTsig(packet, tsig), send: signed }
    return this.handle(message, { signer, mac: tsig.mac, reserved: signature.size }, protocols.handlers)
  }

  private async handle(
    received: Received,
    { signer, mac, reserved }: Checked,
    handlers: ProtocolHandlers,
  ): Promise<void> {
    const { packet, client, send, closed, end, plain } = received
    const kind = kindOf(packet)
    const refuse = (code: number) => this.refuse(received, code)
    const withSignal = (act: (message: CheckedMessage) => Promise<void>) =>
      this.withSignal({ kind, closed, end }, (signal) => act({ packet, client, signer, mac, signal }))
    switch (kind) {
      case 'transfer': {
        const { transfer } = handlers
        if (transfer === undefined || signer.kind === 'none') return refuse(rcode.refused)
        return withSignal((message) => transfer(message, send))
      }
      case 'update':
      case 'notify': {
        const apply = handlers[kind]
        if (apply === undefined) return refuse(rcode.notImp)
        if (kind === 'update' && signer.kind !== 'account') return refuse(rcode.refused)
        const release = this.admit(signer, client)
        if (release === undefined) return refuse(rcode.servFail)
        // Handlers count their outcomes.
        return withSignal(async (message) => send(this.answers.refusal(packet, await apply(message)))).finally(release)
      }
      case 'question': {
        const message = { packet, client, signer, mac, signal: this.closing.signal }
        const reply = handlers.answer?.(message) ?? plain ?? this.answers.whole(packet, client.transport, reserved)
        return reply && send(reply)
      }
    }
  }

  /** @returns a function that ends the answering of a message; undefined if too many of its account are being answered over UDP */
  private admit(signer: Signer, { transport }: Client): (() => void) | undefined {
    if (signer.kind !== 'account' || transport === 'tcp') return () => undefined
    const { id } = signer.caller.account
    const others = this.udpUpdates.get(id) ?? 0
    if (others >= udpPerAccount) return undefined
    this.udpUpdates.set(id, others + 1)
    return () => {
      const left = (this.udpUpdates.get(id) ?? 1) - 1
      if (left === 0) this.udpUpdates.delete(id)
      else this.udpUpdates.set(id, left)
    }
  }

  private refuse(received: Received, code: number): Promise<void> {
    return this.sendRefusal(received, code, this.answers.refusal(received.packet, code))
  }

  private sendRefusal({ client, send }: Received, code: number, reply: Buffer): Promise<void> {
    this.answers.countRefusal(code, client.transport)
    return send(reply)
  }

  private async withSignal(
    { kind, closed, end }: Pick<Received, 'closed' | 'end'> & { readonly kind: MessageKind },
    act: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const aborter = new AbortController()
    const abort = () => {
      aborter.abort()
      // Otherwise a transfer would wait for a client that does not read.
      if (kind === 'transfer') end()
    }
    const signals = [this.closing.signal, ...(closed ? [closed] : [])]
    for (const signal of signals) signal.addEventListener('abort', abort)
    if (signals.some(({ aborted }) => aborted)) abort()
    const timer = setTimeout(abort, kind === 'transfer' ? deadlines.transfer : deadlines.other)
    try {
      await act(aborter.signal)
    } finally {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', abort)
    }
  }

  /** The answer to a request whose signature is refused (RFC 8945, sections 5.2 and 5.3.2). */
  private refused(
    { packet, tsig, key, now }: { packet: Buffer; tsig: Tsig; key: Key; now: number },
    verdict: Exclude<Verdict, 'valid'>,
  ): Buffer {
    const refusal = (code: number) => this.answers.refusal(packet, code)
    const sign = (error: Parameters<TsigSigner['sign']>[2]) => {
      const message = refusal(rcode.notAuth)
      message.writeUInt16BE(tsig.originalId, 0)
      const signed = new TsigSigner(key, tsig.mac).sign(message, now, error)
      packet.copy(signed, 0, 0, 2)
      return signed
    }
    switch (verdict) {
      case 'formErr':
        return refusal(rcode.formErr)
      case 'badKey':
      case 'badSig':
        return this.unsigned(packet, tsig, tsigError[verdict])
      case 'badTrunc':
        return sign({ error: tsigError.badTrunc, timeSigned: now, other: Buffer.alloc(0) })
      case 'badTime':
        return sign(badTime(tsig, now))
    }
  }

  /** An unsigned error. It is not larger than the request: names of keys may be compressed there, and are not here. */
  private unsigned(packet: Buffer, tsig: Tsig, error: number): Buffer {
    const refusal = this.answers.refusal(packet, rcode.notAuth)
    const reply = withUnsignedError(refusal, tsig, error)
    return reply.length <= packet.length ? reply : refusal
  }
}

function countSent(send: Send) {
  let count = 0
  return {
    send: (reply: Buffer) => {
      count++
      return send(reply)
    },
    sent: () => count,
  }
}

const seconds = (): number => Math.floor(Date.now() / 1000)

const noConnection = (): void => undefined

/** The connection has closed: its client gets no answer. */
const ignoreClosed = (): void => undefined

function tsigOf(packet: Buffer): Tsig | undefined | 'malformed' {
  try {
    return findTsig(packet)
  } catch (error) {
    if (error instanceof MalformedMessage) return 'malformed'
    throw error
  }
}
