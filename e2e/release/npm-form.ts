import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ensure } from '../../test/servers/index.js'
import { debianRoot, inRoot } from './debian-root.js'
import {
  environment,
  output,
  releaseFile,
  run,
  spawnPiped,
  timed,
  type Environment,
  type Form,
  type Place,
} from './form.js'

/** Where the package is installed in the root. */
const folder = '/srv'

/** Puts Node.js and npm of this machine into a root, as an operator has them. */
async function addNode(root: string): Promise<void> {
  const [npmCli] = [await run('readlink', '-f', ensure('npm'))]
  const npm = dirname(dirname(npmCli.trim()))
  const modules = join(root, 'usr/local/lib/node_modules')
  await mkdir(modules, { recursive: true })
  await run('cp', '-a', npm, join(modules, 'npm'))
  await run('cp', '--dereference', process.execPath, join(root, 'usr/local/bin/node'))
  for (const name of ['npm', 'npx'])
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name))
}

/**
 * The package for npm in a minimal Debian with Node.js and npm, without a compiler and without install scripts. The packages that it
 * depends on come from a cache: the measured time is without the network.
 */
export async function npmForm(): Promise<Form> {
  const root = await debianRoot()
  await addNode(root)
  const tarball = await releaseFile(/-svc-[\d.]+\.tgz$/)
  await run('cp', tarball, join(root, folder, 'svc.tgz'))
  const options = ['--ignore-scripts', '--no-audit', '--no-fund']
  const filled = await mkdtemp(join(tmpdir(), 'svc-npm-'))
  const fill = ['install', ...options, '--cache', join(root, 'cache'), '--prefix', filled, tarball]
  await output(spawnPiped('npm', fill, environment, filled))
  await rm(filled, { recursive: true })
  const registry = (await run('npm', 'config', 'get', 'registry')).trim()
  const own = {
    HOME: '/root',
    npm_config_registry: registry,
    npm_config_cache: '/cache',
    npm_config_update_notifier: 'false',
  }
  const start = (env: Environment, ...command: string[]) =>
    inRoot(root, { ...own, ...env }, 'sh', '-c', `cd ${folder} && exec "$@"`, 'sh', ...command)
  const at = (place: Place, env: Environment) => ({ ...env, SVC_DATA: join(folder, place) })
  const installMs = await timed(() => output(start({}, 'npm', 'install', ...options, '--offline', './svc.tgz')))
  return {
    command: 'npx @svc/svc',
    installMs,
    start: (place, args, env) => start(at(place, env), 'npx', '--offline', '@svc/svc', ...args),
    // npx does not pass on the signal that stops the server.
    serve: (place, env) => start(at(place, env), 'node_modules/.bin/svc', 'serve'),
    remove: () => rm(root, { recursive: true }),
  }
}
