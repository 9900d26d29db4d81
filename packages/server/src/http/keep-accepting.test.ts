import { once } from 'node:events'
import { createServer } from 'node:net'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { keepAccepting } from './connections.js'

const log: string[] = []
const logger = pino({}, { write: (line: string) => void log.push(line) })

it('logs errors of a listening server once a minute, and the process stays alive', async () => {
  const server = createServer()
  keepAccepting(server, logger)
  // Before the server listens, only the caller of listen() gets the error.
  expect(() => server.emit('error', new Error('EADDRINUSE'))).toThrow('EADDRINUSE')
  await once(server.listen(0, '127.0.0.1'), 'listening')
  for (let i = 0; i < 10; i++) server.emit('error', new Error('accept EMFILE'))
  server.close()
  expect(log.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 50, err: { message: 'accept EMFILE' } },
  ])
})
