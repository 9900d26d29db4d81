import { Socket } from 'node:net'
import pg from 'pg'

/** Maximum time to close a connection. */
const closeMs = 1_000

/** The part of a `Client` that calls may use. */
export type Connection = pg.ClientBase & Pick<Client, 'isCut' | 'cut' | 'gatherStatements'>

/** A connection to PostgreSQL that can be cut, and whose errors do not end the process. */
export class Client extends pg.Client {
  readonly #socket: Socket
  #isCut = false
  #isGathering = false

  constructor(config?: pg.ClientConfig) {
    const socket = new Socket()
    super({ ...config, stream: () => socket })
    this.#socket = socket
    // While a client is checked out, the pool does not listen to it, and an 'error' event without a listener would end
    // the process. The error is not lost: the running query fails with it, or the next one does.
    this.on('error', () => {
      this.#isCut = true
    })
  }

  /** Whether the connection is lost. Then it must not return to the pool. */
  get isCut(): boolean {
    return this.#isCut
  }

  /** Closes the connection at once. Its running queries fail with `reason`. */
  cut(reason: Error): void {
    this.#isCut = true
    this.#socket.destroy(reason)
  }

  /** Holds back the statements of this tick and sends them as one packet at `process.nextTick`. */
  gatherStatements(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    const { stream } = this.connection
    stream.cork()
    process.nextTick(() => {
      this.#isGathering = false
      stream.uncork()
    })
  }

  override end(): Promise<void>
  override end(callback: (error: Error) => void): void
  override end(callback?: (error: Error) => void): Promise<void> | void {
    // Otherwise a server that does not answer keeps the socket open, and the process alive, for minutes.
    setTimeout(() => this.#socket.destroy(), closeMs).unref()
    if (callback === undefined) return super.end()
    super.end(callback)
  }
}
