import { once } from 'node:events'
import { connect } from '../src/db/connect.ts'
import { increment } from './lock-holder.ts'

/** Locks a key: once until stdin ends, or `times` times for a moment each. */
const { config, key, file, times } = JSON.parse(process.argv[2])
const db = await connect(config, (error) => {
  throw error
})
if (times === undefined)
  await db.withLock(key, async () => {
    process.stdout.write('locked\n')
    await once(process.stdin.resume(), 'end')
  })
else {
  process.stdout.write('counting\n')
  for (let i = 0; i < times; i++) await db.withLock(key, () => increment(file), 5_000)
}
await db.close()
