import { ApiError } from '@svc/contract/errors'
import { eventsOfAccountMax, type EventArea } from '@svc/contract/events'
import type { Logger } from 'pino'
import type { Database } from '../../db/port.js'
import type { EventConnection } from '../../http/answer.js'
import { isShown, type ShownEvent } from '../../journal/events.js'
import { EventFollower } from '../../journal/follower.js'
import { isFarBehind, readKeptEvents } from '../../journal/live-store.js'
import { readEventRange } from '../../journal/page-store.js'
import type { Caller } from '../../shared/account.js'
import type { Job } from '../../shared/job.js'
import { throttledLog } from '../../shared/throttled-log.js'
import { turns } from '../../shared/turns.js'
import { Wakeup } from '../../shared/wakeup.js'
import { StreamAdmission } from './admission.js'
import { eventBlock, openingBlock, resetBlock } from './blocks.js'
import { Listener } from './listener.js'

/** The interval in which events of other processes are read. */
const everyMs = 150

/** Writes of this process that follow each other closely share a read. */
const afterWriteMs = 10

/** A transaction that events wait for ends soon. */
const whileHoldingMs = 25

/** The interval of the checks of all streams. */
const tickMs = 1_000

/** The number of ticks after which a stream gets a comment. Each tick has its part of the streams. */
const keepAliveTicks = 20

/** The most callers that are authenticated in one tick: those of all streams within four ticks. */
const authenticatedAtOnce = 250

/** How many events of the past are sent at once. */
const pastAtOnce = 200

/** How long a stream may take to begin, and how long events may wait for a transaction before the log says so. */
const lateMs = 10_000

/** How often the log says so. */
const logEveryMs = 60_000

interface StreamRequest {
  readonly caller: Caller
  readonly areas: readonly EventArea[]
  /** The last id that the client has got; undefined to begin now. */
  readonly lastId: number | undefined
}

const holdingMessage = 'events wait for transactions that have changed account_event and do not end'

const tooLate = () =>
  new ApiError('upstream_error', 'The stream of events cannot begin now. Try again later.', {}, { 'retry-after': '30' })

interface EventStreamsOptions {
  readonly db: Pick<Database, 'one' | 'all' | 'commitNumber' | 'writes'>
  readonly log: Logger
  /** How many events of an account are kept at least. */
  readonly keptEvents?: number | undefined
}

/** What the streams wait for that are opened before the reader has its place. */
class Beginning {
  resolve!: () => void
  reject!: (error: unknown) => void
  readonly promise = new Promise<void>((resolve, reject) => {
    this.resolve = resolve
    this.reject = reject
  })
}

/** All streams of this process: they share one reader of the database, one timer, and the text of each event. */
export class EventStreams {
  readonly job: Job
  readonly #admission = new StreamAdmission()
  readonly #byAccount = new Map<number, Set<Listener>>()
  readonly #listeners = new Set<Listener>()
  readonly #follower: EventFollower
  readonly #wakeup = new Wakeup()
  readonly #oneEachTurn = turns()
  readonly #endWrites: () => void
  readonly #logHolding: ReturnType<typeof throttledLog>
  #beginning: Beginning | undefined
  #soon: NodeJS.Timeout | undefined
  #timer: NodeJS.Timeout | undefined
  #ticks = 0
  #opened = 0
  #isStopping = false

  constructor(private readonly options: EventStreamsOptions) {
    const { db, log } = options
    this.#logHolding = throttledLog(log, holdingMessage, { everyMs: logEveryMs })
    const isWanted = () => this.#admission.count > 0
    this.#follower = new EventFollower({
      db,
      isWanted,
      onEvents: (events) => {
        this.#send(events)
      },
    })
    this.#endWrites = db.writes.listen(() => {
      if (isWanted()) this.#readSoon(afterWriteMs)
    })
    this.job = {
      name: 'events.follow',
      everyMs,
      runsIn: 'every process',
      wakeup: this.#wakeup,
      failureMessage: 'new events could not be read',
      run: () => this.#read(),
    }
  }

  /** Begins a stream, which goes on until one side ends it. @throws ApiError if there are too many; an error of the database */
  async open(connection: EventConnection, { caller, areas, lastId }: StreamRequest): Promise<void> {
    connection.onEnd(this.#admission.admit(caller.account.id))
    await this.#begun()
    const isLost = lastId !== undefined && (await this.#isLost(caller.account.id, lastId))
    const position = this.#follower.position
    if (position === undefined || this.#isStopping || !connection.isOpen) {
      connection.end()
      return
    }
    const after = lastId === undefined || isLost ? position : lastId
    const slot = this.#opened++ % keepAliveTicks
    const listener = new Listener({ connection, caller, areas, after, slot, now: performance.now() })
    this.#add(listener)
    connection.write(openingBlock(after))
    if (isLost) connection.write(resetBlock(after))
    // Before anything else can be read: a stream that is not behind gets the next event.
    void this.#catchUp(listener)
  }

  /** Ends all streams, and those that are about to begin. */
  stop(): void {
    this.#isStopping = true
    this.#endWrites()
    clearTimeout(this.#soon)
    for (const { connection } of this.#listeners) connection.end()
    this.#beginning?.resolve()
  }

  /** Resolves when the reader has its place. @throws ApiError if that takes too long */
  async #begun(): Promise<void> {
    if (this.#isStopping || this.#follower.position !== undefined) return
    this.#beginning ??= new Beginning()
    this.#wakeup.call()
    let timer: NodeJS.Timeout | undefined
    const deadline = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#logHolding(undefined, { ...this.#follower.holding })
        reject(tooLate())
      }, lateMs)
    })
    try {
      await Promise.race([this.#beginning.promise, deadline])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Whether events behind an id may be missing: older ones are kept no more, or the id is not from this database. */
  async #isLost(accountId: number, lastId: number): Promise<boolean> {
    const position = this.#follower.position ?? 0
    if (lastId === position) return false
    const { oldest = Infinity, newest = 0 } = await readKeptEvents(this.options.db)
    if (lastId + 1 < oldest || lastId > Math.max(newest, position)) return true
    const { db, keptEvents = eventsOfAccountMax } = this.options
    return isFarBehind(db, { accountId, after: lastId, events: keptEvents })
  }

  #add(listener: Listener): void {
    const { accountId, connection } = listener
    const ofAccount = this.#byAccount.get(accountId) ?? new Set()
    this.#byAccount.set(accountId, ofAccount.add(listener))
    this.#listeners.add(listener)
    this.#timer ??= setInterval(() => {
      this.#tick(performance.now())
    }, tickMs).unref()
    connection.onEnd(() => {
      ofAccount.delete(listener)
      if (ofAccount.size === 0) this.#byAccount.delete(accountId)
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    })
  }

  async #read(): Promise<void> {
    try {
      await this.#follower.read()
    } catch (error) {
      this.#beginning?.reject(error)
      this.#beginning = undefined
      throw error
    }
    if (this.#follower.position !== undefined) {
      this.#beginning?.resolve()
      this.#beginning = undefined
    }
    const { holding } = this.#follower
    if (holding === undefined) return
    if (holding.ms < lateMs) this.#readSoon(whileHoldingMs)
    else this.#logHolding(undefined, { ...holding })
  }

  #readSoon(ms: number): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      this.#wakeup.call()
    }, ms).unref()
  }

  #send(events: readonly ShownEvent[]): void {
    for (const accountId of new Set(events.map((event) => event.accountId)))
      for (const listener of this.#byAccount.get(accountId) ?? []) listener.dropIfSlow()
    for (const event of events) {
      let bytes: Buffer | undefined
      const block = () => (bytes ??= eventBlock(event))
      for (const listener of this.#byAccount.get(event.accountId) ?? []) listener.offer(event, block)
    }
  }

  /** Sends what has happened since the last id of a client, until it is not behind the others any more. */
  async #catchUp(listener: Listener): Promise<void> {
    const { accountId, connection } = listener
    try {
      for (;;) {
        const through = this.#follower.position
        if (through === undefined || !connection.isOpen) return
        if (listener.cursor >= through) {
          listener.isLive = true
          return
        }
        const range = { accountId, after: listener.cursor, through, rows: pastAtOnce }
        const rows = await this.#oneEachTurn(() => readEventRange(this.options.db, range))
        const blocks = rows
          .filter(isShown)
          .filter((event) => listener.mayRead(event))
          .map(eventBlock)
        if (blocks.length > 0) connection.write(Buffer.concat(blocks))
        listener.cursor = (rows.length < pastAtOnce ? undefined : rows.at(-1)?.id) ?? through
        await connection.drained()
      }
    } catch (error) {
      this.options.log.error({ err: error }, 'past events could not be read: the client connects again')
      connection.end()
    }
  }

  #tick(now: number): void {
    const slot = this.#ticks++ % keepAliveTicks
    let left = authenticatedAtOnce
    for (const listener of this.#listeners) {
      if (listener.slot === slot) listener.keepAlive()
      if (left > 0 && listener.isDue(now)) {
        left--
        void listener.authenticate(now)
      }
    }
  }
}
