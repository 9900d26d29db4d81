import { register } from 'node:module'

// Node 20 gives a worker thread no TypeScript loader: tests, which run the sources, start the writer through this one. The hooks are
// slow for the 300 files of kysely, which therefore come first.
await import('kysely')
register('./source-loader.mjs', import.meta.url)
await import('./writer.ts')
