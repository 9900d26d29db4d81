import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environment, output, releaseFile, spawnPiped, type Environment, type Form, type Place } from './form.js'

/** The package for npm, installed without install scripts. `npx` runs it without the network. */
export async function npmForm(): Promise<Form> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-npm-'))
  const npm = (...args: string[]) => spawnPiped('npm', args, environment, folder)
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder]
  await output(npm('install', ...options, await releaseFile(/-svc-[\d.]+\.tgz$/)))
  const envOf = (place: Place, env: Environment) => ({ ...environment, ...env, SVC_DATA: join(folder, place) })
  return {
    command: 'npx @svc/svc',
    start: (place, args, env) => spawnPiped('npx', ['--offline', '@svc/svc', ...args], envOf(place, env), folder),
    // npx would not pass on the signal that stops the server.
    serve: (place, env) => spawnPiped(join(folder, 'node_modules/.bin/svc'), ['serve'], envOf(place, env), folder),
    remove: () => rm(folder, { recursive: true }),
  }
}
