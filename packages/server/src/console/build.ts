import { readFile, readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import mimeTypes from 'mime-types'
import { Document, unknownPath } from '../http/answer.js'
import { lazy } from '../shared/lazy.js'
import type { PageFiles } from './page-files.js'
import { pageTemplate, type BuiltPage } from './page.js'

/** The files that Vite has built. */
export interface ConsoleBuild extends BuiltPage {
  /**
   * The files in `assets/` by name. Their names contain a hash of their contents. Each is compressed at its first request, then kept;
   * without compression it is read each time, because browsers never ask for that.
   */
  readonly assets: ReadonlyMap<string, (acceptsGzip: boolean) => Promise<Document>>
}

/** By its place: a packaged copy has the folders of the repository, but no packages of this name. */
const buildFolder = () => fileURLToPath(new URL('../../../console/dist', import.meta.url))

/**
 * Finds the built console.
 * @param contentOrigin of the content host
 * @returns undefined if it was not built
 * @throws Error if its page lacks a placeholder
 */
export async function findBuild(contentOrigin: string, folder = buildFolder()): Promise<ConsoleBuild | undefined> {
  try {
    const page = pageTemplate(await readFile(join(folder, 'index.html'), 'utf8'), contentOrigin)
    const pages = JSON.parse(await readFile(join(folder, 'pages.json'), 'utf8')) as PageFiles[]
    const names = await readdir(join(folder, 'assets'))
    return { page, pages, assets: new Map(names.map((name) => [name, asset(join(folder, 'assets', name))])) }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** A new build has other names, so a browser never needs to ask again. */
const forGood = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' }

function asset(file: string): (acceptsGzip: boolean) => Promise<Document> {
  const mediaType = mimeTypes.contentType(extname(file)) || 'application/octet-stream'
  const compressed = lazy(async () => {
    const content = await promisify(gzip)(await read(file), { level: 9 })
    return new Document(content, mediaType, { ...forGood, 'content-encoding': 'gzip' })
  })
  const plain = async () => new Document(await read(file), mediaType, forGood)
  return (acceptsGzip) => (acceptsGzip ? compressed() : plain())
}

/** @throws ApiError `not_found` for a file of an older build, which a new build has removed while the server runs */
async function read(file: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (error) {
    throw isMissing(error) ? unknownPath() : error
  }
}
