import { setImmediate as nextTurn } from 'node:timers/promises'
import { groupBy } from '@svc/contract/group-by'
import type { Logger } from 'pino'
import type { Caller } from '../../../shared/account.js'
import { parseIpAddress } from '../../../shared/ip-address.js'
import { Slots } from '../../../shared/slots.js'
import { throttledLog } from '../../../shared/throttled-log.js'
import type { Client } from '../protocol/messages.js'
import type { TransferredZone } from '../transfers/may-transfer.js'
import type { AccountSecondaries, AccountSecondary } from '../transfers/options.js'
import { SharedSockets } from './link.js'
import { coalesceMs } from './notifier.js'
import { SecondaryNotifier, type Signing } from './secondary-notifier.js'

export interface AccountNotifierOptions {
  readonly secondaries: AccountSecondaries
  /** The zone as it is served now; undefined if it is not. */
  readonly zone: (name: string) => TransferredZone | undefined
  /** All zones that are served now. */
  readonly zones: () => Iterable<TransferredZone>
  readonly log: Logger
}

/** How long after a failed read of the database the next one follows, in milliseconds. */
const retryMs = 5_000

/** Accounts in one query. */
const accountsPerQuery = 500

/** Zones that are looked at in one turn of the event loop. */
const zonesPerTurn = 2_000

/** Secondaries that are being told, at most. Beyond them, one learns of the change when it asks for the SOA again. */
const notifiersMax = 5_000

/** Zones that wait for one secondary. */
const zonesMax = 10_000

/** Messages of all secondaries without an answer, and those that wait for their turn. */
const messages = { sent: 64, waiting: 100_000 }

const limits = { window: 8, startsWithOne: true }

/** An hour: the pauses between the attempts are a minute at last. A secondary that comes back asks for its zones. */
const attemptsMax = 64

interface Running {
  readonly secondary: AccountSecondary
  readonly notifier: SecondaryNotifier
}

/** Tells the secondaries of accounts which of the zones of their account have changed. */
export class AccountNotifier {
  /** The names of changed zones, by the account that holds them. */
  private changes = new Map<number, Set<string>>()
  private timer: NodeJS.Timeout | undefined
  /** Changes that were made while no server was running, such as those of commands, have not been told. */
  private isStarting = true
  private isFlushing = false
  private isClosed = false
  /** By the id of the secondary; without those that have nothing to be told. */
  private readonly running = new Map<number, Running>()
  private readonly sockets = new SharedSockets()
  private readonly turns = new Slots(messages.sent, messages.waiting)
  private readonly logFailure: ReturnType<typeof throttledLog>

  constructor(private readonly options: AccountNotifierOptions) {
    this.logFailure = throttledLog(options.log, 'the secondaries of accounts could not be told that zones have changed')
    this.flushIn(coalesceMs)
  }

  /** Notes that a zone has changed. */
  changed({ name, holder }: TransferredZone): void {
    if (holder === null) return
    const names = this.changes.get(holder)
    if (names === undefined) this.changes.set(holder, new Set([name]))
    else names.add(name)
    this.flushIn(coalesceMs)
  }

  /** Notes a message that is signed with the key of an account. @param isProof whether it asks for an SOA or a transfer */
  heard(caller: Caller, client: Pick<Client, 'address' | 'transport'>, isProof: boolean): void {
    const address = parseIpAddress(client.address)?.toString() ?? ''
    for (const { secondary, notifier } of this.running.values())
      if (secondary.tokenId === caller.tokenId && secondary.address === address) notifier.heard()
    // The sender of a packet over UDP can be forged.
    if (isProof && client.transport === 'tcp') void this.prove(caller, address)
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.timer)
    await Promise.all([...this.running.values()].map(({ notifier }) => notifier.close()))
    await this.sockets.close()
  }

  private async prove(caller: Caller, address: string): Promise<void> {
    try {
      await this.tellAll(await this.options.secondaries.proven(caller, address))
    } catch (error) {
      this.failed(error)
    }
  }

  /** The database may close while a query is under way. */
  private failed(error: unknown): void {
    if (!this.isClosed) this.logFailure(error)
  }

  private flushIn(ms: number): void {
    if (this.timer !== undefined || this.isFlushing || this.isClosed) return
    this.timer = setTimeout(() => {
      this.timer = undefined
      void this.flush()
    }, ms)
  }

  private async flush(): Promise<void> {
    this.isFlushing = true
    let nextMs = coalesceMs
    try {
      await (this.isStarting ? this.start() : this.tellChanges())
    } catch (error) {
      this.failed(error)
      nextMs = retryMs
    }
    this.isFlushing = false
    if (this.isStarting || this.changes.size > 0) this.flushIn(nextMs)
  }

  private async start(): Promise<void> {
    const all = await this.options.secondaries.all()
    this.isStarting = false
    await this.tellAll(all)
  }

  private async tellChanges(): Promise<void> {
    for (const ids = [...this.changes.keys()]; ids.length > 0;) {
      const part = ids.splice(0, accountsPerQuery)
      const found = await this.options.secondaries.of(part)
      // Changes during the query are told too: the zones are read when their messages are signed.
      for (const secondary of found) this.tell(secondary, this.changes.get(secondary.accountId) ?? [])
      for (const id of part) this.changes.delete(id)
    }
  }

  /** Tells secondaries about all zones of their accounts. */
  private async tellAll(secondaries: readonly AccountSecondary[]): Promise<void> {
    if (secondaries.length === 0) return
    const byAccount = groupBy(secondaries, ({ accountId }) => accountId)
    let looked = 0
    for (const { name, holder } of this.options.zones()) {
      if (holder !== null) for (const secondary of byAccount.get(holder) ?? []) this.tell(secondary, [name])
      if (++looked % zonesPerTurn === 0) await nextTurn()
    }
  }

  private tell(secondary: AccountSecondary, zones: Iterable<string>): void {
    if (this.isClosed) return
    const { notifier } = this.running.get(secondary.id) ?? this.begin(secondary) ?? {}
    if (notifier === undefined)
      this.logFailure(new Error(`More than ${String(notifiersMax)} secondaries of accounts must be told.`))
    else if (notifier.waiting < zonesMax) notifier.add(zones)
  }

  private begin(secondary: AccountSecondary): Running | undefined {
    if (this.running.size >= notifiersMax) return undefined
    const { secondaries } = this.options
    const { id } = secondary
    const notifier: SecondaryNotifier = new SecondaryNotifier({
      open: this.sockets.linkTo(secondary),
      signing: (name) => this.signing(secondary, name),
      onResult: (outcome) => {
        secondaries.told(secondary, outcome)
      },
      limits,
      attemptsMax,
      turns: this.turns,
      onIdle: () => {
        if (this.running.get(id)?.notifier === notifier) this.running.delete(id)
        void notifier.close()
      },
    })
    const running = { secondary, notifier }
    this.running.set(id, running)
    return running
  }

  /** At the time of the message: the zone may have got another holder, and the key may have been revoked. */
  private async signing(secondary: AccountSecondary, name: string): Promise<Signing | undefined> {
    const zone = this.options.zone(name)
    const key = zone && (await this.options.secondaries.keyFor(secondary, zone))
    return key && { key }
  }
}
