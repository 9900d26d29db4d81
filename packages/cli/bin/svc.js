#!/usr/bin/env -S node --max-semi-space-size=4 --initial-old-space-size=128
// The megabytes of new objects between two collections of garbage. A collection costs 0.4 ms with 2 MB, 0.6 ms with 4 and 0.9 ms
// with 8: 3.2, 2.4 and 1.9 µs for each GET /v1/account/me. With 8 the idle memory would be above 140 MB (`npm run bench -- idle`).
// The size of the old objects below which V8 does not collect them. Otherwise it counts the buffers of uploads as growth, and collects
// everything up to 20 times a second: that doubled the CPU time of an upload.
import { existsSync } from 'node:fs'

const isNameserver = process.argv[2] === 'nameserver'

// `svc nameserver` shall take little memory, and its garbage is small: 90 MB instead of 140 with 10,000 zones. V8 and glibc read these
// settings only at the start of a process. Node.js before 22.15 has no execve. It ends the process if it fails, and without /proc, as in
// a chroot, Node.js does not know the path of its program.
const { execPath } = process
const canRestart = execPath.startsWith('/') && existsSync(execPath)
if (isNameserver && canRestart && !process.execArgv.includes('--optimize-for-size')) {
  const given = process.execArgv.filter((flag) => !flag.startsWith('--initial-old-space-size'))
  const flags = [...given, '--max-semi-space-size=1', '--optimize-for-size', '--heap-growing-percent=10']
  const env = { ...process.env, MALLOC_ARENA_MAX: '1' }
  process.execve?.(execPath, [execPath, ...flags, ...process.argv.slice(1)], env)
}

const main = new URL(`../dist/bundle/${isNameserver ? 'nameserver' : 'main'}.js`, import.meta.url)
const { node: version } = process.versions
const [major, minor] = version.split('.').map(Number)

// SQLite's driver needs Node-API 10. Without it, Node.js ends with a segmentation fault.
const isSupported = major >= 24 || (major === 22 && minor >= 14)

if (!isSupported) {
  process.stderr.write(
    `svc needs Node.js 22.14, 24 or later, not ${version}: in a checkout, npx svc uses the one that npm ci has installed.\n`,
  )
  process.exitCode = 1
} else if (existsSync(main)) {
  const { run } = await import(main.href)
  await run(process.argv)
} else {
  process.stderr.write('svc is not built yet: run npm run build first.\n')
  process.exitCode = 1
}
