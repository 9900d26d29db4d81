// Tests run the sources, but Node 20 gives a worker thread no TypeScript loader. So they start the writer that
// test/servers/writer-thread.ts has built from the sources.
import { pathToFileURL } from 'node:url'

await import(`${pathToFileURL(process.env.WRITER_THREAD).href}/writer.js`)
