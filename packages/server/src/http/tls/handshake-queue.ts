/** How a connection to the port ended its handshake, for the metrics. `late`: it took longer than the deadline. */
export type HandshakeOutcome = 'ok' | 'failed' | 'late' | 'unknown_name' | 'malformed'

/** The limits of handshakes. */
export interface HandshakeLimits {
  /** How many handshakes of one network begin in a second: a handshake takes half a millisecond of CPU time. The others wait. */
  readonly perSecond: number
  /** How many begin in one turn of the event loop, so that requests and other connections get their turn in between. */
  readonly perTurn: number
}

const defaultHandshakeLimits: HandshakeLimits = { perSecond: 200, perTurn: 4 }

const secondMs = 1_000

/**
 * While connections arrive, one handshake begins in this time. Node.js accepts one connection in each turn, so with handshakes in each
 * turn the connections of a flood wait in the kernel, in their order, and those of other networks behind them: the median of another
 * network's handshake was 750 ms instead of 30.
 */
const acceptingMs = 2

/** Waiting handshakes of a network, the first come first. */
type Waiting = Set<() => void>

/**
 * Begins handshakes in the order of networks, not of connections: each network with waiting ones gets one in turn, so many of one
 * network do not hold up those of others. The number of waiting ones is that of the connections, which has its own limits.
 */
export class HandshakeQueue {
  /** The first network is the next one. */
  readonly #networks = new Map<string, Waiting>()
  /** Networks that have begun as many as they may in this second. */
  readonly #paused = new Map<string, Waiting>()
  readonly #begun = new Map<string, number>()
  #second: NodeJS.Timeout | undefined
  #isTurnPlanned = false
  /** Handshakes that may still begin in this turn. */
  #left = 0
  #hasAccepted = false
  /** When handshakes could begin last. */
  #begunAt = -Infinity

  constructor(private readonly limits: HandshakeLimits = defaultHandshakeLimits) {}

  /**
   * Calls `begin` in its turn.
   * @param isLimited whether the limit per second applies
   * @returns a function that takes the handshake out of the queue
   */
  add(network: string, isLimited: boolean, begin: () => void): () => void {
    const key = isLimited ? network : `${network} unlimited`
    const counted = () => {
      if (isLimited) this.#count(key)
      begin()
    }
    const queue = this.#paused.get(key) ?? this.#networks.get(key) ?? new Set()
    queue.add(counted)
    if (!this.#paused.has(key)) this.#enqueue(key, queue)
    return () => {
      queue.delete(counted)
      if (queue.size > 0) return
      for (const networks of [this.#networks, this.#paused]) if (networks.get(key) === queue) networks.delete(key)
    }
  }

  /** Tells the queue that a connection was accepted in this turn of the event loop. */
  noteAccept(): void {
    this.#hasAccepted = true
  }

  stop(): void {
    clearTimeout(this.#second)
    this.#networks.clear()
    this.#paused.clear()
  }

  #enqueue(network: string, queue: Waiting): void {
    if ((this.#begun.get(network) ?? 0) >= this.limits.perSecond) {
      this.#networks.delete(network)
      this.#paused.set(network, queue)
      return
    }
    this.#networks.set(network, queue)
    this.#plan()
  }

  #count(network: string): void {
    this.#begun.set(network, (this.#begun.get(network) ?? 0) + 1)
    this.#second ??= setTimeout(() => {
      this.#second = undefined
      this.#begun.clear()
      const paused = [...this.#paused]
      this.#paused.clear()
      for (const [key, queue] of paused) this.#enqueue(key, queue)
    }, secondMs).unref()
  }

  #plan(): void {
    if (this.#isTurnPlanned) return
    this.#isTurnPlanned = true
    setImmediate(() => {
      this.#left = this.#allowed()
    })
    // Each in its own callback: Node.js does the work of a handshake in a microtask after it.
    for (let index = 0; index < this.limits.perTurn; index++)
      setImmediate(() => {
        if (this.#left-- > 0) this.#next()
      })
    setImmediate(() => {
      this.#isTurnPlanned = false
      if (this.#networks.size > 0) this.#plan()
    })
  }

  /** How many handshakes may begin in this turn. */
  #allowed(): number {
    const now = performance.now()
    const isAccepting = this.#hasAccepted
    this.#hasAccepted = false
    if (isAccepting && now - this.#begunAt < acceptingMs) return 0
    this.#begunAt = now
    return isAccepting ? 1 : this.limits.perTurn
  }

  #next(): void {
    const [first] = this.#networks
    if (first === undefined) return
    const [network, queue] = first
    this.#networks.delete(network)
    const [begin] = queue
    if (begin === undefined) return
    queue.delete(begin)
    begin()
    if (queue.size > 0) this.#enqueue(network, queue)
  }
}
