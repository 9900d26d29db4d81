import { readFile, readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import mimeTypes from 'mime-types'
import { Document } from '../http/answer.js'
import { lazy } from '../lazy.js'

/** The files that Vite has built. */
export interface ConsoleBuild {
  /** The page, with the placeholders of `page.ts`. */
  readonly page: string
  /** The files in `assets/` by name. Their names contain a hash of their contents. Each is read at its first request, then kept. */
  readonly assets: ReadonlyMap<string, (acceptsGzip: boolean) => Promise<Document>>
}

const buildFolder = () => join(dirname(createRequire(import.meta.url).resolve('@svc/console/package.json')), 'dist')

/** Finds the built console. @returns undefined if it was not built */
export async function findBuild(folder = buildFolder()): Promise<ConsoleBuild | undefined> {
  try {
    const page = await readFile(join(folder, 'index.html'), 'utf8')
    const names = await readdir(join(folder, 'assets'))
    return { page, assets: new Map(names.map((name) => [name, asset(join(folder, 'assets', name))])) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A new build has other names, so a browser never needs to ask again. */
const forGood = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' }

function asset(file: string): (acceptsGzip: boolean) => Promise<Document> {
  const mediaType = mimeTypes.contentType(extname(file)) || 'application/octet-stream'
  const compressed = lazy(async () => {
    const content = await promisify(gzip)(await readFile(file), { level: 9 })
    return new Document(content, mediaType, { ...forGood, 'content-encoding': 'gzip' })
  })
  const plain = lazy(async () => new Document(await readFile(file), mediaType, forGood))
  return (acceptsGzip) => (acceptsGzip ? compressed() : plain())
}
