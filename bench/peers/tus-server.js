import { createServer } from 'node:http'
import { FileStore } from '@tus/file-store'
import { Server } from '@tus/server'

/** The peer for uploads: @tus/server with its file store, which neither hashes nor synchronises. Argument: its directory. */

const tus = new Server({ path: '/files', datastore: new FileStore({ directory: process.argv[2] ?? '' }) })
const server = createServer((request, response) => void tus.handle(request, response))
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`)
})
