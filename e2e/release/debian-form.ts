import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { debianRoot, inRoot as inRootOf } from './debian-root.js'
import { output, releaseFile, run, timed, type Environment, type Form, type Place } from './form.js'

export interface DebianForm extends Form {
  /** Runs a program in the root of the installation. @returns its output @throws Error unless its exit code is 0 */
  readonly inRoot: (...command: string[]) => Promise<string>
  /** The path of the package there. */
  readonly file: string
}

const folders: Record<Place, string> = { first: '/var/lib/svc', second: '/var/lib/restored' }

/** Starts the service as systemd does: with its settings, in its directory, as its user. Arguments are variables that replace settings. */
async function serviceOf(root: string): Promise<string> {
  const unit = await readFile(join(root, 'usr/lib/systemd/system/svc.service'), 'utf8')
  const valueOf = (name: string) => new RegExp(`(?<=^${name}=).*`, 'm').exec(unit)?.[0] ?? ''
  const user = `setpriv --reuid=${valueOf('User')} --regid=${valueOf('Group')} --init-groups --no-new-privs`
  return `set -a; . ${valueOf('EnvironmentFile')}; cd ${valueOf('WorkingDirectory')}; exec env "$@" ${user} ${valueOf('ExecStart')}`
}

/** The .deb in a minimal Debian, without gcc, make and Python. systemd does not run there: the test starts the command of the unit. */
export async function debianForm(): Promise<DebianForm> {
  const root = await debianRoot()
  const file = '/svc.deb'
  await run('cp', await releaseFile(/\.deb$/), join(root, file))
  const enter = (env: Environment, ...command: string[]) => inRootOf(root, env, ...command)
  const inRoot = async (...command: string[]) => String(await output(enter({}, ...command)))
  const installMs = await timed(() => inRoot('dpkg', '-i', file))
  await inRoot('install', '-d', '-o', 'svc', '-g', 'svc', '-m', '700', folders.second)
  const service = await serviceOf(root)
  return {
    command: 'svc',
    installMs,
    inRoot,
    file,
    start: (place, args, env) => enter({ SVC_DATA: folders[place], ...env }, 'svc', ...args),
    serve: (place, env) => {
      const variables = Object.entries({ SVC_DATA: folders[place], ...env }).map(([name, value]) => `${name}=${value}`)
      return enter({}, 'sh', '-c', service, 'sh', ...variables)
    },
    remove: () => rm(root, { recursive: true }),
  }
}
