import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * What happens to a COMMIT: `answer lost` lets it reach the server and breaks the connection instead of the answer;
 * `commit lost` breaks it before; `gone` lets it through, loses the answer and takes no further connection.
 */
export type CommitFault = 'answer lost' | 'commit lost' | 'gone'

export interface CommitProxy {
  /** The database's URL, through this proxy. */
  readonly url: string
  /** Does that to the next transaction that sends this text. */
  arm(fault: CommitFault, text: string): void
  /** Whether that has happened since. */
  hasStruck(): boolean
  /** Takes connections again. */
  heal(): void
  stop(): Promise<void>
}

/** A TCP proxy in front of PostgreSQL: `commit` comes as a message of its own in the protocol's simple query form. */
export async function startCommitProxy(database: string): Promise<CommitProxy> {
  const target = new URL(database)
  const sockets = new Set<Socket>()
  let armed: { fault: CommitFault; text: string } | undefined
  let isGone = false
  let hasStruck = false

  const server = createServer((client) => {
    if (isGone) {
      client.destroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    let sent = ''
    let swallows = false
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
      sent += text
      if (!/Q\0\0\0.commit\0/is.test(text)) return void upstream.write(chunk)
      const mine = armed !== undefined && sent.includes(armed.text)
      sent = ''
      if (!mine || armed === undefined) return void upstream.write(chunk)
      const { fault } = armed
      armed = undefined
      hasStruck = true
      isGone = fault === 'gone'
      if (fault === 'commit lost') {
        end()
        return
      }
      swallows = true
      upstream.write(chunk)
      if (isGone) for (const socket of sockets) if (socket !== upstream && socket !== client) socket.destroy()
    })
    upstream.on('data', (chunk) => {
      // The server has answered: it has committed.
      if (swallows) end()
      else client.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(database)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    arm: (fault, text) => {
      armed = { fault, text }
      hasStruck = false
    },
    hasStruck: () => hasStruck,
    heal: () => {
      isGone = false
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
