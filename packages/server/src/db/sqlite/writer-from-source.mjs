// Node 20 gives a worker thread no TypeScript loader: tests, which run the sources, start the writer through this one.
import { register } from 'tsx/esm/api'

register()
await import('./writer.ts')
