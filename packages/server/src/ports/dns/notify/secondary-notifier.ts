import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import type { KeyStore } from '../protocol/messages.js'
import type { NotifyResult, Secondary } from '../transfers/options.js'
import { TsigSigner, TsigVerifier, UntrustedAnswer } from '../wire/tsig.js'
import { idOf, notifyRcode, notifyRequest } from './notify-message.js'
import { NotifyQueue } from './notify-queue.js'

export interface SecondaryOptions {
  readonly secondary: Secondary
  readonly keyOf: KeyStore['byName']
  /** The zone that comes before all others: the catalog, without which a secondary does not know them. */
  readonly urgent: string
  readonly onResult: (result: NotifyResult, zone: string, problem?: Error) => void
  /** Milliseconds until a message counts as lost. */
  readonly timeoutMs?: number
}

/** The operator has not created the key of the secondary, or has removed it. */
export class UnknownKey extends Error {}

/** A secondary asks for the SOA of each zone that it is told about: so many per tick fit into the rate limit of its network. */
const pace = { perTick: 20, tickMs: 100 }

interface Pending {
  readonly zone: string
  readonly request: Buffer
  readonly verifier: TsigVerifier | undefined
  readonly timer: NodeJS.Timeout
}

/** Tells one secondary about changed zones, over UDP (RFC 1996). */
export class SecondaryNotifier {
  private readonly queue = new NotifyQueue()
  private readonly pending = new Map<number, Pending>()
  private socket: Promise<Socket> | undefined
  private pause: NodeJS.Timeout | undefined
  private isBackingOff = false
  private sentInTick = 0
  private isClosed = false

  constructor(private readonly options: SecondaryOptions) {}

  add(zones: Iterable<string>): void {
    for (const zone of zones) this.queue.add(zone, zone === this.options.urgent)
    this.sendNext()
  }

  /** In lower case, without the last dot; undefined for unsigned messages. */
  get keyName(): string | undefined {
    return this.options.secondary.key
  }

  /** Notes that the secondary has asked something. One that was away is told soon about what it has missed. */
  heard(): void {
    const pauseMs = this.isBackingOff && !this.isClosed ? this.queue.shortenPause() : undefined
    if (pauseMs !== undefined) this.pauseFor(pauseMs)
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.pause)
    for (const { timer } of this.pending.values()) clearTimeout(timer)
    this.pending.clear()
    const { socket } = this
    this.socket = undefined
    await socket?.then(
      (opened) => new Promise<void>((done) => opened.close(done)),
      () => undefined,
    )
  }

  private sendNext(): void {
    while (!this.isClosed && this.pause === undefined) {
      const zone = this.queue.take()
      if (zone === undefined) return
      if (++this.sentInTick >= pace.perTick) this.pauseFor(pace.tickMs)
      this.send(zone).catch((error: unknown) => {
        this.fail(zone, error instanceof Error ? error : new Error(String(error)))
      })
    }
  }

  private async send(zone: string): Promise<void> {
    const { secondary, keyOf, timeoutMs = 2000 } = this.options
    const key = secondary.key === undefined ? undefined : await keyOf(secondary.key)
    if (secondary.key !== undefined && key === undefined) throw new UnknownKey(secondary.key)
    const socket = await (this.socket ??= this.open())
    let request = notifyRequest(zone)
    while (this.pending.has(idOf(request))) request = notifyRequest(zone)
    const signer = key && new TsigSigner(key)
    const packet = signer?.sign(request, seconds()) ?? request
    const verifier = key && signer && new TsigVerifier(key, signer.mac)
    if (this.isClosed) return
    const timer = setTimeout(() => {
      this.pending.delete(idOf(request))
      this.fail(zone, new Error('The secondary did not answer.'))
    }, timeoutMs)
    this.pending.set(idOf(request), { zone, request, verifier, timer })
    socket.send(packet)
  }

  /** A connected socket takes packets from the address of the secondary only. */
  private async open(): Promise<Socket> {
    const { address, port } = this.options.secondary
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    socket.on('error', (error) => {
      this.broke(error)
    })
    socket.on('message', (packet) => {
      this.receive(packet)
    })
    socket.connect(port, address)
    try {
      await once(socket, 'connect')
      return socket
    } catch (error) {
      socket.close()
      throw error
    }
  }

  /** Such as a port that is closed: what is under way fails at once, and the next message opens a new socket. */
  private broke(error: Error): void {
    const { socket } = this
    this.socket = undefined
    // If it could not be opened, its message has failed already.
    socket?.then((opened) => opened.close()).catch(() => undefined)
    const lost = [...this.pending.values()]
    this.pending.clear()
    for (const { timer, zone } of lost) {
      clearTimeout(timer)
      this.fail(zone, error)
    }
  }

  private receive(packet: Buffer): void {
    const pending = packet.length < 2 ? undefined : this.pending.get(idOf(packet))
    if (pending === undefined) return
    const code = this.rcodeOf(packet, pending)
    if (code === undefined) return
    this.pending.delete(idOf(packet))
    clearTimeout(pending.timer)
    this.queue.answered(pending.zone)
    if (code === 0) this.options.onResult('answered', pending.zone)
    else this.options.onResult('refused', pending.zone, new Error(`The secondary answered with RCODE ${String(code)}.`))
    this.sendNext()
  }

  /**
   * A server that does not have the zone cannot sign its refusal. It is not repeated in any case: the secondary gets the zone when it adds it.
   * @returns undefined for a packet that is not the secondary's answer: the right one may still come
   */
  private rcodeOf(packet: Buffer, { request, verifier }: Pending): number | undefined {
    try {
      return notifyRcode(request, verifier?.verify(packet, seconds()) ?? packet)
    } catch (error) {
      if (!(error instanceof UntrustedAnswer)) throw error
      const code = notifyRcode(request, packet)
      return code === 0 ? undefined : code
    }
  }

  private fail(zone: string, problem: Error): void {
    if (this.isClosed) return
    this.options.onResult('failed', zone, problem)
    this.queue.failed(zone)
    if (!this.isBackingOff) {
      this.isBackingOff = true
      this.pauseFor(this.queue.backOff())
    }
  }

  private pauseFor(ms: number): void {
    clearTimeout(this.pause)
    this.pause = setTimeout(() => {
      this.pause = undefined
      this.isBackingOff = false
      this.sentInTick = 0
      this.sendNext()
    }, ms)
  }
}

const seconds = (): number => Math.floor(Date.now() / 1000)
