import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * What the proxy does to a COMMIT:
 * - `answer lost`: passes it on, and breaks the connection instead of returning the answer.
 * - `commit lost`: passes on the statements before it, and breaks the connection before PostgreSQL gets the COMMIT.
 * - `gone`: as `answer lost`, and refuses every further connection.
 * - `answerDelayMs`: passes it on, and returns the answer that much later.
 */
export type CommitFault = 'answer lost' | 'commit lost' | 'gone' | { readonly answerDelayMs: number }

export interface CommitProxy {
  /** The database's URL through the proxy. */
  readonly url: string
  /** Applies the fault to the COMMIT of the next transaction that contains the text. */
  arm(fault: CommitFault, text?: string): void
  /** Whether the armed fault has happened. */
  hasStruck(): boolean
  /** Accepts connections again after `gone`. */
  heal(): void
  /** How often clients have sent statements after an answer. */
  roundTrips(): number
  stop(): Promise<void>
}

/** A TCP proxy in front of PostgreSQL that can lose or delay a COMMIT or its answer. */
export async function startCommitProxy(database: string): Promise<CommitProxy> {
  const target = new URL(database)
  const sockets = new Set<Socket>()
  let armed: { fault: CommitFault; text: string } | undefined
  let isGone = false
  let hasStruck = false
  let roundTrips = 0

  /** The armed fault if the transaction matches it. A fault strikes once. */
  function strike(transaction: string): CommitFault | undefined {
    if (armed === undefined || !transaction.includes(armed.text)) return undefined
    const { fault } = armed
    armed = undefined
    hasStruck = true
    return fault
  }

  const server = createServer((client) => {
    if (isGone) {
      client.destroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    let transaction = ''
    let isAnswered = true
    let answer: 'pass' | 'lose' | Buffer[] = 'pass'
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay()
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    client.on('data', (chunk) => {
      const text = chunk.toString('latin1')
      transaction += text
      if (isAnswered) roundTrips++
      isAnswered = false
      const commit = commitIn(text)
      if (commit === -1) {
        upstream.write(chunk)
        return
      }
      const fault = strike(transaction)
      transaction = ''
      if (fault === 'commit lost') {
        upstream.end(chunk.subarray(0, commit))
        return
      }
      if (typeof fault === 'object') {
        const held: Buffer[] = []
        answer = held
        setTimeout(() => {
          answer = 'pass'
          for (const part of held) client.write(part)
        }, fault.answerDelayMs)
      } else if (fault !== undefined) answer = 'lose'
      upstream.write(chunk)
      if (fault !== 'gone') return
      isGone = true
      for (const socket of sockets) if (socket !== upstream && socket !== client) socket.destroy()
    })
    upstream.on('data', (chunk) => {
      isAnswered = true
      if (answer === 'pass') client.write(chunk)
      else if (answer !== 'lose') answer.push(chunk)
      else if (chunk.includes(committed)) end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(database)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    arm: (fault, text = '') => {
      armed = { fault, text }
      hasStruck = false
    },
    hasStruck: () => hasStruck,
    roundTrips: () => roundTrips,
    heal: () => {
      isGone = false
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Where the simple query message `commit` begins (PostgreSQL manual, "Message Formats"); -1 without one. */
const commitIn = (text: string): number => text.search(/Q\0\0\0.commit\0/is)

/** The answer to a COMMIT. Those to the statements before it may come alone. */
const committed = 'COMMIT\0'
