import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchIdle } from './idle.js'
import { finish } from './measure.js'
import { benchRequests } from './requests.js'
import { benchWrites } from './writes.js'

/** Every bench, or those named: `npm run bench -- writes idle`. */
const benches: Record<string, (folder: string) => Promise<void>> = {
  idle: benchIdle,
  requests: benchRequests,
  writes: benchWrites,
}

const named = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'))
for (const [name, bench] of Object.entries(benches)) {
  if (named.length > 0 && !named.includes(name)) continue
  console.log(`\n${name}`)
  await bench(folder)
}
await rm(folder, { recursive: true })
finish()
