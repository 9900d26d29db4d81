import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { releaseFile, run, spawnPiped, type Environment, type Form, type Place, type Started } from './form.js'

interface Descriptor {
  readonly digest: string
}

interface ImageConfig {
  readonly architecture: string
  readonly config: {
    readonly User: string
    readonly Env: readonly string[]
    readonly Entrypoint: readonly string[]
    readonly Cmd: readonly string[]
    readonly WorkingDir: string
    readonly Volumes: Readonly<Record<string, object>>
    readonly Labels: Readonly<Record<string, string>>
    readonly Healthcheck: { readonly Test: readonly string[] }
  }
}

export interface ImageForm extends Form {
  readonly image: ImageConfig
  /** Runs the health check in the container of a place. */
  readonly checkHealth: (place: Place, env: Environment) => Started
  /** The host's folder of a volume. */
  readonly volume: (place: Place) => string
}

/** Unpacks the layers, in their order. @returns the configuration of the image */
async function unpack(file: string, layout: string, root: string): Promise<ImageConfig> {
  await run('tar', '-xf', file, '-C', layout)
  const blob = ({ digest }: Descriptor) => join(layout, 'blobs', digest.replace(':', '/'))
  const read = async <T>(path: string) => JSON.parse(await readFile(path, 'utf8')) as T
  const { manifests } = await read<{ manifests: readonly [Descriptor] }>(join(layout, 'index.json'))
  const { config, layers } = await read<{ config: Descriptor; layers: readonly Descriptor[] }>(blob(manifests[0]))
  for (const layer of layers) await run('tar', '-xzpf', blob(layer), '-C', root)
  return read<ImageConfig>(blob(config))
}

/**
 * The image as a container has it: its user, its environment, a file system that is read-only except for the volume. Without podman,
 * which does not run in every sandbox.
 */
export async function imageForm(): Promise<ImageForm> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-image-'))
  const [root, layout] = [join(folder, 'root'), join(folder, 'layout')]
  for (const path of [root, layout]) await mkdir(path)
  const archive = await releaseFile(/\.oci\.tar$/)
  const begun = performance.now()
  const image = await unpack(archive, layout, root)
  const installMs = performance.now() - begun
  const { User, Env, Entrypoint, Cmd, WorkingDir } = image.config
  for (const path of ['proc', 'dev']) await mkdir(join(root, path))
  const volume = (place: Place) => join(folder, place)
  const [uid = '', gid = ''] = User.split(':')
  for (const place of ['first', 'second'] as const) {
    await mkdir(volume(place))
    await run('chown', User, volume(place))
  }
  const mounts = [
    'mount --bind "$ROOT" "$ROOT"',
    ...['proc', 'dev'].map((name) => `mount --rbind /${name} "$ROOT/${name}"`),
    'mount --bind "$VOLUME" "$ROOT/data"',
    'mount -o remount,bind,ro "$ROOT"',
  ]
  const ids = ['-S', uid, '-G', gid]
  const start = (place: Place, command: readonly string[], env: Environment) => {
    const all = { ...Object.fromEntries(Env.map((entry) => entry.split(/=([^]*)/, 2) as [string, string])), ...env }
    const variables = Object.entries(all).map(([name, value]) => `${name}=${value}`)
    const into = ['/usr/bin/unshare', '-R', root, '-w', WorkingDir, ...ids]
    const script = `${mounts.join(' && ')} && exec env -i "$@"`
    return spawnPiped('unshare', ['--mount', 'sh', '-c', script, 'sh', ...variables, ...into, ...command], {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      ROOT: root,
      VOLUME: volume(place),
    })
  }
  return {
    command: 'svc',
    installMs,
    image,
    volume,
    checkHealth: (place, env) => start(place, image.config.Healthcheck.Test.slice(1), env),
    start: (place, args, env) => start(place, ['/usr/bin/svc', ...args], env),
    serve: (place, env) => start(place, [...Entrypoint, ...Cmd], env),
    remove: () => rm(folder, { recursive: true }),
  }
}
