// Tests run the sources, but Node 20 gives a worker thread no TypeScript loader. So they start the writer that
// test/servers/writer-thread.ts has built from the sources.
require(`${process.env.WRITER_THREAD}/writer.cjs`)
