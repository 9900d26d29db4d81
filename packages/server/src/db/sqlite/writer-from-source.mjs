// Node 20 gives a worker thread no TypeScript loader: tests, which run the sources, start the writer that
// test/servers/global-setup.ts has built from them.
import { pathToFileURL } from 'node:url'

await import(`${pathToFileURL(process.env.WRITER_THREAD).href}/packages/server/src/db/sqlite/writer.js`)
