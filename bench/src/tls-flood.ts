import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { clientHello } from '../../test/servers/client-hello.js'

/** Runs as its own process. Starts 2,000 handshakes at once, and repeats this when the server has answered all of them. Argument: the port. */

const flooding = 2_000
const port = Number(process.argv[2])
const hello = await clientHello()

/** Begins a handshake, and ends the connection at the answer. */
async function begin(): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => socket.destroy())
  socket.once('data', () => socket.destroy())
  socket.write(hello)
  await new Promise<void>((resolve) => socket.once('close', () => resolve()))
}

console.log('flood')
for (;;) {
  const ended: Promise<unknown>[] = []
  for (let count = 0; count < flooding; count++) {
    ended.push(begin())
    if (count % 50 === 0) await nextTurn()
  }
  await Promise.all(ended)
}
