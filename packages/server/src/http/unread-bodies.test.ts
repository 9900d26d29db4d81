import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSocket, parseAnswer, readToEnd } from '../../test/raw-http.js'
import { closeUnreadBodies } from './pipelined.js'

let server: Server
let url: string
beforeEach(async () => {
  // Reads the body of /read only.
  const answer: RequestListener = (request, response) => {
    if (request.url !== '/read') response.end('early')
    else request.resume().once('end', () => response.end('late'))
  }
  server = createServer(closeUnreadBodies(answer))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
})
afterEach(() => {
  server.close()
  server.closeAllConnections()
})

const chunked = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`

it('closes the connection if a chunked body goes on after the answer, which arrives', async () => {
  const socket = await openSocket(url)
  const received = readToEnd(socket)
  const more = setInterval(() => socket.write('1\r\nx\r\n'), 5)
  socket.write(chunked('/'))
  expect(parseAnswer(await received)).toMatchObject({ status: 200, text: 'early' })
  clearInterval(more)
})

it('keeps the connection after a chunked body that is read to its end', async () => {
  const socket = await openSocket(url)
  for (let n = 0; n < 2; n++) {
    socket.write(`${chunked('/read')}1\r\nx\r\n0\r\n\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(parseAnswer(answer.toString()).text).toBe('late')
  }
  socket.destroy()
})

it('keeps the connection for the rest of a body with Content-Length', async () => {
  const socket = await openSocket(url)
  for (let n = 0; n < 2; n++) {
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(parseAnswer(answer.toString()).text).toBe('early')
    socket.write('ab')
  }
  socket.destroy()
})
