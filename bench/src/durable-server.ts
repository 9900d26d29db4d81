import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/**
 * A bare node:http server that appends the bodies of POST to a file, and answers when they are durable. Queued bodies share one
 * fdatasync. GET answers at once. Argument: the file.
 */

const file = await open(process.argv[2] ?? '', 'a')
let queued: Buffer[] = []
/** The newest write, which may not have begun. */
let newest = Promise.resolve()
let hasBegun = true

/** Resolves when the body is durable. */
function append(body: Buffer): Promise<void> {
  queued.push(body)
  if (hasBegun) {
    hasBegun = false
    newest = newest.then(appendQueued)
  }
  return newest
}

async function appendQueued(): Promise<void> {
  const bodies = queued
  queued = []
  hasBegun = true
  await file.appendFile(Buffer.concat(bodies))
  await file.datasync()
}

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    response.end('{}')
    return
  }
  void buffer(request)
    .then(append)
    .then(() => response.end('{}'))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
