import type { Connection } from './client.js'
import { Connections, withDeadline, type CheckedOut } from './connections.js'

const connectMs = 10_000
/** Maximum duration of a statement: it may sort the keys of a large table, or rewrite that table. */
export const statementMs = 600_000
/** The server's own timeout comes first. */
const answerMs = 5_000

/** One connection for statements that take minutes, until `close`. If it is lost, the next statement fails. */
export class LongSession {
  #isClosed = false

  private constructor(
    private readonly connections: Connections,
    private readonly checkedOut: CheckedOut,
  ) {}

  static async open(url: string): Promise<LongSession> {
    const connections = new Connections({ url, max: 1, statementMs, onLost: () => undefined })
    try {
      return new LongSession(connections, await connections.checkOut(performance.now() + connectMs))
    } catch (error) {
      await connections.end()
      throw error
    }
  }

  run<R>(work: (client: Connection) => Promise<R>): Promise<R> {
    return withDeadline(this.checkedOut.client, performance.now() + statementMs + answerMs, work)
  }

  /** Ends the session, with its transaction and locks. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.checkedOut.client.cut(new Error('The session is closed.'))
    this.checkedOut.release()
    await this.connections.end()
  }
}
