import { createRequire } from 'node:module'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Builds the writer thread of SQLite from the sources, for writer-from-source.cjs, with all modules that declare units. With a
 * TypeScript loader, each start of a thread took a second of CPU time, with a file for each module a third, and 0.13 seconds as
 * an ES module instead of 0.09.
 * @returns the folder, and a function that removes it
 */
export async function buildWriterThread() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-writer-'))
  const modules = [...(await modulesWithUnits()), join(root, 'packages/server/src/db/sqlite/writer.ts')]
  await build({
    stdin: { contents: modules.map((module) => `import ${JSON.stringify(module)}`).join('\n'), resolveDir: root },
    outfile: join(folder, 'writer.cjs'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: `node${process.versions.node}`,
    plugins: [fromSource],
  })
  return { folder, remove: () => rm(folder, { recursive: true }) }
}

async function modulesWithUnits(): Promise<string[]> {
  const found: string[] = []
  for (const folder of ['src', 'test'].map((name) => join(root, 'packages/server', name)))
    for (const name of await readdir(folder, { recursive: true })) {
      const file = join(folder, name)
      if (/(?<!\.test)\.ts$/.test(name) && /\bunit\(\s*import\.meta\b/.test(await readFile(file, 'utf8')))
        found.push(file)
    }
  return found
}

/** Keeps the URLs of the sources, by which units are found, and resolves @svc/contract to its sources. */
const fromSource: Plugin = {
  name: 'from-source',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^@svc\/contract/ }, ({ path }) => ({
      path: join(root, 'packages/contract/src', `${path.split('/')[2] ?? 'index'}.ts`),
    }))
    onResolve({ filter: /^better-sqlite3$/ }, () => ({
      path: createRequire(import.meta.url).resolve('better-sqlite3'),
      external: true,
    }))
    onLoad({ filter: /\/packages\/\w+\/(src|test)\/.*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      const meta = JSON.stringify({ url: pathToFileURL(path).href })
      return { contents: source.replace(/\bimport\.meta\b/g, meta), loader: 'ts' }
    })
  },
}
