import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './form.js'

/** Packages of other versions, made from the .deb of a release. */

const home = 'usr/lib/svc'

/** Where file names have a hash of the contents, which another version has not. */
const hashed = [`${home}/packages/console/dist/assets`, `${home}/packages/cli/dist/bundle`]

/** Texts that name these files. */
const naming = ['index.html', 'pages.json'].map((name) => `${home}/packages/console/dist/${name}`)

/**
 * Writes a package with another version.
 * @param change edits the files of the package
 * @returns the path of its .deb, which is in a new folder
 */
export async function otherVersion(
  deb: string,
  version: string,
  change: (tree: string) => Promise<void>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-other-version-'))
  const [tree, file] = [join(folder, 'tree'), join(folder, `svc_${version}_amd64.deb`)]
  await mkdir(tree)
  await run('dpkg-deb', '--raw-extract', deb, tree)
  await replace(join(tree, 'DEBIAN/control'), /(?<=^Version: ).*/m, version)
  await replace(join(tree, home, 'package.json'), /(?<="version": ")[^"]*/, version)
  await change(tree)
  await run('dpkg-deb', '--root-owner-group', '-Zzstd', '-z1', '--build', tree, file)
  await rm(tree, { recursive: true })
  return file
}

async function replace(file: string, pattern: RegExp, replacement: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  if (!pattern.test(text)) throw new Error(`${file} has no ${String(pattern)}.`)
  await writeFile(file, text.replace(pattern, replacement))
}

/** Gives all files with a hash in their name another one: as after a change of every module. */
export async function renameHashed(tree: string): Promise<void> {
  const renamed = new Map<string, string>()
  for (const folder of hashed)
    for (const name of await readdir(join(tree, folder))) {
      const [, start, hash = '', end] = /^(.+-)([\w-]{8})(\.(?:js|css))$/.exec(name) ?? []
      if (start === undefined) continue
      renamed.set(name, `${start}${hash.split('').reverse().join('').replace('-', '_')}${end}`)
      await rename(join(tree, folder, name), join(tree, folder, renamed.get(name) ?? ''))
    }
  const files = (
    await Promise.all(
      hashed.map(async (folder) => (await readdir(join(tree, folder))).map((name) => join(folder, name))),
    )
  ).flat()
  const pattern = new RegExp([...renamed.keys()].map((name) => name.replaceAll('.', String.raw`\.`)).join('|'), 'g')
  for (const file of [...files, ...naming].filter((name) => /\.(?:js|css|html|json)$/.test(name))) {
    const text = await readFile(join(tree, file), 'utf8')
    await writeFile(
      join(tree, file),
      text.replace(pattern, (name) => renamed.get(name) ?? name),
    )
  }
}

/** Adds a migration behind the last one, which creates a table. */
export async function addMigration(tree: string): Promise<void> {
  const bundle = join(tree, home, 'packages/cli/dist/bundle')
  const last = /"\d{4}-[\w.-]+":\s*[\w$]+(?=,?\s*\})/
  const step = `async (db) => { await db.schema.createTable('later').addColumn('id', 'integer').execute() }`
  for (const name of await readdir(bundle)) {
    const text = await readFile(join(bundle, name), 'utf8')
    if (last.test(text))
      return replace(join(bundle, name), last, `${last.exec(text)?.[0]},"9999-later.additive":${step}`)
  }
  throw new Error('The bundle has no migrations.')
}
