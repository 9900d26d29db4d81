import { mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensure } from '../../test/servers/index.js'
import { run, spawnPiped, type Environment, type Started } from './form.js'

/** Debian's settings of this machine: the name of the version, and where the packages are. */
async function archive(): Promise<string[]> {
  const targets = await run('apt-get', 'indextargets', '--format', '$(CODENAME) $(REPO_URI)', 'Created-By: Packages')
  const [name] = /(?<=^VERSION_CODENAME=)\w+/m.exec(await readFile('/etc/os-release', 'utf8')) ?? []
  const uri = targets.split('\n').flatMap((line) => (line.startsWith(`${name} `) ? line.split(' ')[1] : []))[0]
  return [name ?? '', uri ?? '']
}

/** The installed systems stay for later runs: each takes minutes of network and disk. */
const cache = '/var/cache/svc-tests'

/** Milliseconds after which a system is installed again, with its updates. */
const cacheMs = 7 * 86_400_000

/** Installs a minimal Debian with systemd, and without gcc, make and Python, unless it is there. @returns its folder */
async function installedDebian(): Promise<string> {
  const [name = '', uri = ''] = await archive()
  const installed = join(cache, `debian-${name}`)
  const { mtimeMs = 0 } = (await stat(join(installed, 'etc/installed')).catch(() => undefined)) ?? {}
  if (Date.now() - mtimeMs < cacheMs) return installed
  await mkdir(cache, { recursive: true, mode: 0o700 })
  const folder = await mkdtemp(join(cache, 'new-'))
  await run(ensure('debootstrap'), '--variant=minbase', '--include=systemd,dbus', name, folder, uri)
  await run('chmod', '755', folder)
  await run('touch', join(folder, 'etc/installed'))
  await rm(installed, { recursive: true, force: true })
  await rename(folder, installed)
  return installed
}

/** A copy of a minimal Debian with systemd, without a compiler. The caller removes it. */
export async function debianRoot(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-debian-'))
  await run('cp', '-a', '--reflink=auto', `${await installedDebian()}/.`, folder)
  for (const program of ['cc', 'gcc', 'g++', 'make', 'python3'])
    if ((await stat(join(folder, 'usr/bin', program)).catch(() => undefined)) !== undefined)
      throw new Error(`The system for the tests of releases has ${program}.`)
  return folder
}

const mounts = ['proc', 'dev'].map((folder) => `mount --rbind /${folder} "$ROOT/${folder}"`).join(' && ')

/** Starts a program in a root, as root, without systemd. */
export const inRoot = (root: string, env: Environment, ...command: string[]): Started =>
  spawnPiped('unshare', ['--mount', 'sh', '-c', `${mounts} && exec chroot "$ROOT" "$@"`, 'sh', ...command], {
    PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ROOT: root,
    ...env,
  })
