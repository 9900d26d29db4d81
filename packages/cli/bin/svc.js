#!/usr/bin/env -S node --max-semi-space-size=2
// Requests leave little garbage: V8's default of 20 MB for it makes answers no faster.
import { existsSync } from 'node:fs'

const main = new URL('../dist/main.js', import.meta.url)

if (existsSync(main)) {
  const { run } = await import(main.href)
  await run(process.argv)
} else {
  process.stderr.write('svc is not built yet: run npm run build first.\n')
  process.exitCode = 1
}
