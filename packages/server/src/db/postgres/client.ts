import { Socket } from 'node:net'
import pg from 'pg'

/** How long closing a connection may take. */
const goodbyeMs = 1_000

/** The part of a `Client` that calls may use. */
export type Connection = pg.ClientBase & Pick<Client, 'isCut' | 'cut'>

/** A connection whose errors do not end the process, and which can be cut. */
export class Client extends pg.Client {
  readonly #socket: Socket
  #isCut = false

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

  /** Whether the connection is lost: it must not go back to the pool. */
  get isCut(): boolean {
    return this.#isCut
  }

  /** Ends the connection at once; its running queries fail with that reason. */
  cut(reason: Error): void {
    this.#isCut = true
    this.#socket.destroy(reason)
  }

  override end(): Promise<void>
  override end(callback: (error: Error) => void): void
  override end(callback?: (error: Error) => void): Promise<void> | void {
    // A server that does not answer would keep the socket, and with it the process, for minutes.
    setTimeout(() => this.#socket.destroy(), goodbyeMs).unref()
    if (callback === undefined) return super.end()
    super.end(callback)
  }
}
