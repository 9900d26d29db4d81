import { TsigSigner, TsigVerifier, UntrustedAnswer, type TsigKey } from '../wire/tsig.js'
import type { NotifyOutcome } from '../transfers/options.js'
import type { Link, OpenLink } from './link.js'
import { idOf, notifyRcode, notifyRequest } from './notify-message.js'
import { NotifyQueue, type QueueLimits } from './notify-queue.js'

/** How a message about a zone is signed. */
export interface Signing {
  /** Undefined for an unsigned message. */
  readonly key: TsigKey | undefined
}

/** What limits the messages to all secondaries together. */
export interface Turns {
  take(until: number): Promise<boolean>
  release(): void
}

export interface SecondaryOptions {
  readonly open: OpenLink
  /** @returns undefined for a zone that the secondary must not be told about now @throws Error to try again later */
  readonly signing: (zone: string) => Promise<Signing | undefined>
  /** The zone that comes before all others: the catalog, without which a secondary does not know them. */
  readonly urgent?: string
  readonly onResult: (outcome: NotifyOutcome) => void
  /** Milliseconds until a message counts as lost. */
  readonly timeoutMs?: number
  readonly limits?: QueueLimits
  /** After so many attempts without an answer, the zones are forgotten. Undefined to try for ever. */
  readonly attemptsMax?: number
  readonly turns?: Turns
  /** Called when there is nothing more to tell. */
  readonly onIdle?: () => void
}

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
  private readonly queue: NotifyQueue
  private readonly pending = new Map<number, Pending>()
  private link: Promise<Link> | undefined
  private pause: NodeJS.Timeout | undefined
  private isBackingOff = false
  private sentInTick = 0
  private isClosed = false

  constructor(private readonly options: SecondaryOptions) {
    this.queue = new NotifyQueue(options.limits)
  }

  /** How many zones wait. */
  get waiting(): number {
    return this.queue.size
  }

  add(zones: Iterable<string>): void {
    for (const zone of zones) this.queue.add(zone, zone === this.options.urgent)
    this.sendNext()
  }

  /** Notes that the secondary has asked something. One that was away is told soon about what it has missed. */
  heard(): void {
    const pauseMs = this.isBackingOff && !this.isClosed ? this.queue.shortenPause() : undefined
    if (pauseMs !== undefined) this.pauseFor(pauseMs)
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.pause)
    for (const { timer } of this.pending.values()) {
      clearTimeout(timer)
      this.options.turns?.release()
    }
    this.pending.clear()
    const { link } = this
    this.link = undefined
    await link?.then(
      (opened) => opened.close(),
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
    const { turns } = this.options
    if ((await turns?.take(Infinity)) === false) throw new Error('Too many messages wait for their turn.')
    let isSent = false
    try {
      isSent = await this.sendNow(zone)
    } finally {
      if (!isSent) turns?.release()
    }
    if (isSent) return
    this.queue.drop(zone)
    this.sendNext()
    this.endIfIdle()
  }

  /** @returns false for a zone that the secondary must not be told about */
  private async sendNow(zone: string): Promise<boolean> {
    const { signing, timeoutMs = 2000 } = this.options
    const signed = this.isClosed ? undefined : await signing(zone)
    if (signed === undefined) return false
    const { key } = signed
    // A link that opens after `close` would stay open.
    const link = this.isClosed ? undefined : await (this.link ??= this.open())
    if (link === undefined) return false
    let request = notifyRequest(zone)
    while (this.pending.has(idOf(request))) request = notifyRequest(zone)
    const signer = key && new TsigSigner(key)
    const packet = signer?.sign(request, seconds()) ?? request
    const verifier = key && signer && new TsigVerifier(key, signer.mac)
    if (this.isClosed) return false
    link.send(packet)
    const timer = setTimeout(() => {
      this.forget(idOf(request))
      this.fail(zone, new Error('The secondary did not answer.'))
    }, timeoutMs)
    this.pending.set(idOf(request), { zone, request, verifier, timer })
    return true
  }

  private open(): Promise<Link> {
    return this.options.open(
      (packet) => {
        this.receive(packet)
      },
      (error) => {
        this.broke(error)
      },
    )
  }

  /** Ends a link that has failed, such as to a closed port: its messages fail at once, and the next message opens a new link. */
  private broke(error: Error): void {
    const { link } = this
    this.link = undefined
    // If it could not be opened, its message has failed already.
    link?.then((opened) => opened.close()).catch(() => undefined)
    const lost = [...this.pending]
    for (const [id, { zone }] of lost) {
      this.forget(id)
      this.fail(zone, error)
    }
  }

  private forget(id: number): void {
    clearTimeout(this.pending.get(id)?.timer)
    if (this.pending.delete(id)) this.options.turns?.release()
  }

  private receive(packet: Buffer): void {
    const pending = packet.length < 2 ? undefined : this.pending.get(idOf(packet))
    if (pending === undefined) return
    const code = this.rcodeOf(packet, pending)
    if (code === undefined) return
    const { zone } = pending
    this.forget(idOf(packet))
    this.queue.answered(zone)
    const { onResult } = this.options
    if (code === 0) onResult({ result: 'answered', zone, rcode: code })
    else
      onResult({
        result: 'refused',
        zone,
        rcode: code,
        problem: new Error(`The secondary answered with RCODE ${String(code)}.`),
      })
    this.sendNext()
    this.endIfIdle()
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
    const { onResult, attemptsMax = Infinity } = this.options
    onResult({ result: 'failed', zone, problem })
    this.queue.failed(zone)
    if (!this.isBackingOff) {
      this.isBackingOff = true
      this.pauseFor(this.queue.backOff())
    }
    if (this.queue.failuresInRow >= attemptsMax) this.queue.clear()
    this.endIfIdle()
  }

  private endIfIdle(): void {
    if (this.queue.isEmpty && !this.isClosed) this.options.onIdle?.()
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
