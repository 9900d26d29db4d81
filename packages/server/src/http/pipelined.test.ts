import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage, type RequestListener } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { limitPipelined } from './pipelined.js'

const cleanUp: (() => void)[] = []
afterEach(() => {
  for (const step of cleanUp.splice(0)) step()
})

async function listening(answer: RequestListener): Promise<number> {
  const server = createServer(limitPipelined(answer))

  await once(server.listen(0, '127.0.0.1'), 'listening')
  cleanUp.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

/** @returns the answers up to the end of the connection */
async function answersTo(port: number, bytes: string): Promise<string[]> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  socket.write(bytes)
  await once(socket, 'close')
  return text.split(/(?=HTTP\/1\.1 )/)
}

it.each([
  [
    'at once',
    (done: () => void) => {
      done()
    },
  ],
  [
    'later',
    (done: () => void) => {
      setTimeout(done, 50)
    },
  ],
])(
  'answers 64 of many simultaneous requests in order and closes the connection: handlers that answer %s',
  async (_, when) => {
    let handled = 0
    const port = await listening((_request, response) => {
      const number = ++handled
      when(() => response.end(`(${String(number)})`))
    })
    const answers = await answersTo(port, request.repeat(1_000))
    expect(handled).toBe(64)
    expect(answers.map((answer) => /\((\d+)\)$/.exec(answer)?.[1])).toEqual(
      Array.from({ length: 64 }, (_unused, at) => String(at + 1)),
    )
    expect(answers.at(-1)).toContain('Connection: close')
    expect(answers.at(-2)).toContain('Connection: keep-alive')
  },
)

it('handles at most 64 of thousands of requests', async () => {
  let handled = 0
  const port = await listening((_request, response) => {
    handled++
    response.end('done')
  })
  // The client may lose answers: it still sends when the connection is closed.
  await answersTo(port, request.repeat(70_000))
  expect(handled).toBe(64)
})

it('does not close a connection that sends many requests one after another', async () => {
  const port = await listening((_request, response) => response.end('done'))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  cleanUp.push(() => agent.destroy())
  const ports = new Set<number | undefined>()
  for (let i = 0; i < 600; i++) {
    const asked = get({ port, host: '127.0.0.1', agent })
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    ports.add(response.socket.localPort)
    await once(response.resume(), 'end')
  }
  expect(ports.size).toBe(1)
})
