// The Debian package: svc with its own Node.js in /usr/lib/svc, its service and its settings.
import { execFileSync } from 'node:child_process'
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { epoch, root, version } from './release.js'
import { home, normalize, stageHome, stageNode } from './stage.js'

const templates = fileURLToPath(new URL('debian', import.meta.url))

/** Where the files of debian/ go, with their modes. */
const places = {
  conffiles: ['DEBIAN/conffiles', 0o644],
  postinst: ['DEBIAN/postinst', 0o755],
  postrm: ['DEBIAN/postrm', 0o755],
  prerm: ['DEBIAN/prerm', 0o755],
  'svc.env': ['etc/svc/svc.env', 0o600],
  'svc.service': ['usr/lib/systemd/system/svc.service', 0o644],
  'svc.sh': ['usr/bin/svc', 0o755],
}

/** In the order of Debian, a version is older than all that begin with it, except behind a tilde. */
const debianVersion = version.replace('-', '~')

const kibibytesOf = (folder) =>
  execFileSync('du', ['-sk', '--apparent-size', folder], { encoding: 'utf8' }).split('\t')[0]

/** Writes `svc_<version>_amd64.deb` into the folder. @param work an empty folder */
export async function packDeb(work, folder) {
  const tree = join(work, 'deb')
  await stageHome(join(tree, home))
  await stageNode(join(tree, home))
  const documents = join(tree, 'usr/share/doc/svc')
  await mkdir(documents, { recursive: true })
  await cp(join(root, 'LICENSE'), join(documents, 'copyright'))
  for (const [name, [place]] of Object.entries(places)) {
    await mkdir(dirname(join(tree, place)), { recursive: true })
    await cp(join(templates, name), join(tree, place))
  }
  const control = await readFile(join(templates, 'control'), 'utf8')
  const fields = control.replace('@version@', debianVersion).replace('@size@', kibibytesOf(tree))
  await writeFile(join(tree, 'DEBIAN/control'), fields)
  await normalize(tree)
  for (const [place, mode] of Object.values(places)) await chmod(join(tree, place), mode)
  const file = join(folder, `svc_${debianVersion}_amd64.deb`)
  // Two threads on any machine: their number changes the bytes of xz.
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '--threads-max=2', '--build', tree, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
