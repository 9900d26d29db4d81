// Joins the compiled modules of svc and their dependencies into a few files, after `tsc -b`: finding and opening 2,000 modules took
// half of the CPU time of a start. Tests and tools still use the modules in dist/.
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const packages = fileURLToPath(new URL('../packages', import.meta.url))
const server = join(packages, 'server/dist')
const outdir = join(packages, 'cli/dist/bundle')

/** Keeps `import.meta.url` the URL of the compiled module: by it, svc finds its data files and identifies its units of work. */
const keepUrls = {
  name: 'keep-urls',
  setup({ onLoad }) {
    onLoad({ filter: /\/packages\/\w+\/dist\/.*\.js$/ }, async ({ path }) => {
      // This module starts the writer beside it: the one of the bundle.
      if (path.endsWith('/sqlite/writer-thread.js')) return undefined
      const url = `new URL(${JSON.stringify(relative(packages, path))}, svcPackages).href`
      return { contents: (await readFile(path, 'utf8')).replaceAll(/\bimport\.meta\b/g, `{ url: ${url} }`) }
    })
  },
}

/** Resolves `writer` to the writer thread with all modules that declare units, which it would import one by one. */
const writerWithUnits = {
  name: 'writer-with-units',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^writer$/ }, ({ path }) => ({ path, namespace: 'writer' }))
    onLoad({ filter: /^/, namespace: 'writer' }, async () => {
      const modules = [...(await modulesWithUnits()), join(server, 'db/sqlite/writer.js')]
      return { contents: modules.map((module) => `import ${JSON.stringify(module)}`).join('\n'), resolveDir: packages }
    })
  },
}

async function modulesWithUnits() {
  const modules = (await readdir(server, { recursive: true })).filter((name) => /(?<!\.test)\.js$/.test(name))
  const declares = async (path) => /\bunit\(\s*import\.meta\b/.test(await readFile(path, 'utf8'))
  const checked = await Promise.all(
    modules.map(async (name) => ({ path: join(server, name), declaresUnits: await declares(join(server, name)) })),
  )
  return checked.flatMap(({ path, declaresUnits }) => (declaresUnits ? path : []))
}

/** Writes the files that have changed, each by rename: a command that starts during the build reads whole files. */
async function writeFiles(files) {
  await mkdir(outdir, { recursive: true })
  for (const { path, contents } of files) {
    const current = await readFile(path).catch(() => undefined)
    if (current?.equals(contents)) continue
    await writeFile(`${path}.new`, contents)
    await rename(`${path}.new`, path)
  }
}

/** Removes the files of older builds, except the last: a server that runs during the build still imports some of its files. */
async function removeOldFiles(built) {
  const list = join(outdir, 'files.json')
  const lastBuild = await readFile(list, 'utf8').then(JSON.parse, () => [])
  const kept = new Set([...lastBuild, ...built, 'files.json'])
  for (const name of await readdir(outdir)) if (!kept.has(name)) await rm(join(outdir, name))
  await writeFile(list, JSON.stringify(built))
}

/** The folders of the packages that modules come from, such as `node_modules/ajv`: a release lists its contents by them. */
function packagesOf(paths) {
  const folders = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  return [...new Set(folders)].sort()
}

const isEntry = ({ path }) => Number(['main.js', 'nameserver.js', 'writer.js'].includes(basename(path)))

const options = {
  ...{ outdir, bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node22' },
  // Compiled addons. The last one is optional for pg, and not installed.
  external: ['better-sqlite3', '@node-rs/argon2', 'pg-native'],
  plugins: [writerWithUnits, keepUrls],
  banner: {
    js: `import { createRequire as svcCreateRequire } from 'node:module'
const svcPackages = new URL('../../../', import.meta.url)
const require = svcCreateRequire(import.meta.url)`,
  },
  write: false,
  metafile: true,
  logLevel: 'warning',
}

const { metafile, outputFiles: shared } = await build({
  ...options,
  entryPoints: [
    { in: join(packages, 'cli/dist/main.js'), out: 'main' },
    { in: 'writer', out: 'writer' },
  ],
})
// One file without the code of other commands, for its memory: the files of the others have more in them than it needs.
const { outputFiles: alone } = await build({
  ...options,
  entryPoints: [{ in: join(packages, 'cli/dist/nameserver-main.js'), out: 'nameserver' }],
  splitting: false,
})
const outputFiles = [...shared, ...alone]
// The entry points last: they name the others.
await writeFiles(outputFiles.toSorted((a, b) => isEntry(a) - isEntry(b)))
await writeFile(join(packages, 'cli/dist/packages.json'), JSON.stringify(packagesOf(Object.keys(metafile.inputs))))
await removeOldFiles(outputFiles.map(({ path }) => relative(outdir, path)))
