// The container image, made without a daemon: an OCI layout, which `docker load` and `podman load` read.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { imageConfig, imageManifest, layerType } from './image-config.js'
import { libraryPackages, sharedLibraries } from './shared-libraries.js'
import { epoch, version } from './release.js'
import { home, normalize, stageHome, stageNode } from './stage.js'

const files = fileURLToPath(new URL('image', import.meta.url))

/** The user of the image, who owns the volume /data. */
const owned = ['--owner=1000', '--group=1000']

/** The same bytes for the same files. */
const tarOptions = ['--sort=name', `--mtime=@${epoch}`, '--numeric-owner', '--format=gnu']
const tar = (folder, args) => execFileSync('tar', ['-C', folder, ...tarOptions, ...args], { stdio: 'inherit' })

/** Node.js and what it needs of an operating system: a layer that most releases share with the one before. */
async function stageBase(folder) {
  await stageNode(join(folder, home))
  for (const library of sharedLibraries()) {
    await mkdir(dirname(join(folder, library)), { recursive: true })
    await cp(library, join(folder, library), { dereference: true })
  }
  for (const { name } of libraryPackages()) {
    const copyright = `usr/share/doc/${name}/copyright`
    await cp(`/${copyright}`, join(folder, copyright), { dereference: true })
  }
  await cp(join(files, 'etc'), join(folder, 'etc'), { recursive: true })
  await mkdir(join(folder, 'tmp'))
  await normalize(folder)
  await chmod(join(folder, 'tmp'), 0o1777)
}

async function stageRest(folder) {
  await stageHome(join(folder, home))
  await cp(join(files, 'healthcheck.js'), join(folder, home, 'healthcheck.js'))
  await mkdir(join(folder, 'usr/bin'), { recursive: true })
  await symlink(`/${home}/packages/cli/bin/svc.js`, join(folder, 'usr/bin/svc'))
  await useOwnNode(join(folder, home, 'packages/cli/bin/svc.js'))
  await normalize(folder)
}

/** The image has no `env`, and the kernel takes one argument. */
async function useOwnNode(script) {
  const source = await readFile(script, 'utf8')
  await writeFile(script, source.replace(/^#!.*/, `#!/${home}/bin/node --max-semi-space-size=4`))
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')

/** Writes a blob of the layout. @returns its descriptor */
async function writeBlob(layout, mediaType, content) {
  const digest = sha256(content)
  await writeFile(join(layout, 'blobs/sha256', digest), content)
  return { mediaType, digest: `sha256:${digest}`, size: content.length }
}

/** Packs a folder as a layer, behind it an empty folder of the image's user. */
async function writeLayer(layout, folder, ownedFolder) {
  const file = `${folder}.tar`
  tar(folder, ['--owner=0', '--group=0', '-cf', file, '.'])
  if (ownedFolder !== undefined) {
    await mkdir(join(folder, ownedFolder))
    await chmod(join(folder, ownedFolder), 0o755)
    tar(folder, [...owned, '-rf', file, `./${ownedFolder}`])
  }
  const content = await readFile(file)
  await rm(file)
  return {
    diffId: `sha256:${sha256(content)}`,
    ...(await writeBlob(layout, layerType, gzipSync(content, { level: 9 }))),
  }
}

/** Writes `svc-<version>-linux-amd64.oci.tar` into the folder. @param work an empty folder */
export async function packImage(work, folder) {
  const [layout, base, rest] = ['layout', 'base', 'rest'].map((name) => join(work, `image/${name}`))
  await mkdir(join(layout, 'blobs/sha256'), { recursive: true })
  await stageBase(base)
  await stageRest(rest)
  const layers = [await writeLayer(layout, base, 'data'), await writeLayer(layout, rest)]
  const config = await writeBlob(layout, imageConfig.mediaType, imageConfig.of(layers))
  const { mediaType, content, index, dockerIndex } = imageManifest(config, layers)
  const manifest = await writeBlob(layout, mediaType, content)
  await writeFile(join(layout, 'index.json'), index(manifest))
  await writeFile(join(layout, 'manifest.json'), dockerIndex)
  await writeFile(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  await normalize(layout)
  tar(layout, ['--owner=0', '--group=0', '-cf', join(folder, `svc-${version}-linux-amd64.oci.tar`), '.'])
}
