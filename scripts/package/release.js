// What all forms of a release have in common: names, version, time.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The scope of the packages on npm: the name `svc` there belongs to others. Their owner publishes them. */
export const scope = '@svc'

export const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

export const { version, description, license, engines } = readJson('package.json')

/** Seconds since the epoch. All files of a release get it as their time, so that the same commit makes the same bytes. */
export const epoch = Number(
  process.env.SOURCE_DATE_EPOCH ??
    execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim(),
)
