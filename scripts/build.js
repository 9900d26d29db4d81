// Builds what has changed since the last build. `tsc -b` finds that out by itself; for the others, the times of the files tell.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

const packages = readdirSync('packages').map((name) => join('packages', name))
const outputsOf = (names) => names.map((name) => `packages/${name}/dist`)

const run = (program, ...args) => execFileSync(program, args, { stdio: 'inherit' })

/** The newest change below these paths, in milliseconds. A folder changes when a file in it is added, renamed or removed. */
function lastChange(paths, skip) {
  return Math.max(
    ...paths.map((path) => {
      const found = statSync(path)
      if (!found.isDirectory()) return found.mtimeMs
      const inside = readdirSync(path).filter((name) => name !== skip)
      return Math.max(
        found.mtimeMs,
        lastChange(
          inside.map((name) => join(path, name)),
          skip,
        ),
      )
    }),
    0,
  )
}

/** @param made written last by a build @param skip name of folders that the build itself changes */
const isCurrent = (made, inputs, skip) => existsSync(made) && statSync(made).mtimeMs >= lastChange(inputs, skip)

run('node_modules/typescript-native/bin/tsc', '-b', ...packages)

const bundled = ['scripts/bundle.js', 'package-lock.json', ...outputsOf(['contract', 'client', 'server', 'cli'])]
if (!isCurrent('packages/cli/dist/bundle/files.json', bundled, 'bundle')) run('node', 'scripts/bundle.js')

const shown = ['package-lock.json', 'packages/console', ...outputsOf(['contract', 'client'])]
if (!isCurrent('packages/console/dist/index.html', shown, 'dist'))
  run('npm', 'run', 'build', '--workspace', '@svc/console')
