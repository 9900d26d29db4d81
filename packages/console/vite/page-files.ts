import { readFile } from 'node:fs/promises'
import type { Plugin } from 'vite'

interface Chunk {
  readonly type: 'chunk'
  readonly fileName: string
  readonly imports: readonly string[]
  readonly moduleIds: readonly string[]
  readonly viteMetadata?: { readonly importedCss: ReadonlySet<string> }
}

/** A page, and the files that a browser loads before it shows the page. */
interface PageFiles {
  /** Below /console, with `:name` for a parameter; `*` for a path without a page. */
  readonly path: string
  /** Without those that the HTML names. */
  readonly files: readonly string[]
}

/** The first path of an area, and the path and the module of each of its pages, as the `area.tsx` of each area writes them. */
const areaPath = /^ {2}path: '([^']*)',$/m
const page = /\{ (?:index: true|path: '([^']+)'), lazy: .*? import\('\.\/([\w-]+)\.js'\)/g

/**
 * Writes `pages.json`, with the files of each page: the server names those of the requested page, so that the browser does not find them
 * one after the other.
 */
export function pageFiles(): Plugin {
  return {
    name: 'page-files',
    enforce: 'post',
    async generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk') as unknown as Chunk[]
      const named = filesOf(chunkOf('/src/main.tsx', chunks), chunks)
      const frame = filesOf(chunkOf('/src/app/signed-in.tsx', chunks), chunks)
      const pages: PageFiles[] = []
      for (const id of this.getModuleIds()) {
        if (!/\/src\/areas\/[\w-]+\/area\.tsx$/.test(id)) continue
        for (const { path, module } of await pagesOf(id)) {
          const files = new Set([...frame, ...filesOf(chunkOf(module, chunks), chunks)])
          pages.push({ path, files: [...files].filter((file) => !named.has(file)) })
        }
      }
      pages.push({ path: '*', files: [...frame].filter((file) => !named.has(file)) })
      this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(pages) })
    },
  }
}

/** @throws Error for an area without pages */
async function pagesOf(areaFile: string): Promise<{ path: string; module: string }[]> {
  const source = await readFile(areaFile, 'utf8')
  const first = areaPath.exec(source)?.[1]
  const pages = Array.from(source.matchAll(page), ([, path, module = '']) => ({
    path: [first, path].filter(Boolean).join('/'),
    module: `${areaFile.replace(/area\.tsx$/, '')}${module}.tsx`,
  }))
  if (first === undefined || pages.length === 0) throw new Error(`${areaFile} has no pages in the form of the others.`)
  return pages
}

/** @throws Error if no chunk has the module */
function chunkOf(module: string, chunks: readonly Chunk[]): Chunk {
  const found = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(module)))
  if (found === undefined) throw new Error(`The build has no file with ${module}.`)
  return found
}

/** A chunk, its style sheets, and those of all chunks that it imports. */
function filesOf(chunk: Chunk, chunks: readonly Chunk[]): Set<string> {
  const files = new Set<string>()
  const add = ({ fileName, imports, viteMetadata }: Chunk) => {
    if (files.has(fileName)) return
    files.add(fileName)
    for (const name of imports) {
      const imported = chunks.find((other) => other.fileName === name)
      if (imported) add(imported)
    }
    for (const style of viteMetadata?.importedCss ?? []) files.add(style)
  }
  add(chunk)
  return files
}
