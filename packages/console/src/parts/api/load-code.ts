import { server } from './server.js'

/** The build puts this module in the place of Vite's loader of `import()` (`vite/code-loader.ts`). */

/** A file is requested again this often if the server answers and the file still cannot be loaded. */
const retriesMax = 3

/** Milliseconds before the first repetition; each further one waits twice as long. */
const backoffMs = 300

/** A script or a style sheet of a page cannot be loaded. */
export class MissingCodeError extends Error {
  override readonly name = 'MissingCodeError'

  constructor(url: string, reason: string) {
    super(`${url} could not be loaded: ${reason}.`)
  }
}

/** By address. Those of the page itself have been loaded. */
const files = new Map<string, Promise<void>>()
const styles = new Map<string, Promise<void>>()
for (const { href, rel } of document.querySelectorAll<HTMLLinkElement>(
  'link[rel=modulepreload], link[rel=stylesheet]',
)) {
  files.set(href, Promise.resolve())
  if (rel === 'stylesheet') styles.set(href, Promise.resolve())
}

/**
 * Imports a module when all its files are in the browser's cache. A browser that has once failed to load a module never requests its
 * address again (https://github.com/whatwg/html/issues/6768; Chromium), so an import during an outage would break the page until
 * it is reloaded.
 *
 * @param load calls `import()`
 * @param names of the module's file and of those that it needs, relative to the importing module
 * @throws MissingCodeError
 */
export async function loadCode<Module>(
  load: () => Promise<Module>,
  names: readonly string[] = [],
  importer = document.baseURI,
): Promise<Module> {
  const urls = names.map((name) => new URL(name, importer).href)
  await Promise.all(urls.map((url) => once(files, url, fetchFile)))
  // In this order: later style sheets override earlier ones.
  await Promise.all(urls.filter(isStyle).map((url) => once(styles, url, applyStyles)))
  return load()
}

const isStyle = (url: string): boolean => url.endsWith('.css')

/** A failed load may be repeated. */
function once(loads: Map<string, Promise<void>>, url: string, load: (url: string) => Promise<void>): Promise<void> {
  const known = loads.get(url)
  if (known) return known
  const loading = load(url)
  loads.set(url, loading)
  loading.catch(() => loads.delete(url))
  return loading
}

/** Puts a file into the cache. Waits while the server does not answer. @throws MissingCodeError */
async function fetchFile(url: string): Promise<void> {
  for (let retries = 0; ; retries++) {
    const problem = await problemOf(url)
    if (problem === undefined) return
    if (retries === retriesMax) throw new MissingCodeError(url, problem)
    await new Promise((resolve) => setTimeout(resolve, backoffMs * 2 ** retries))
    await server.answering()
  }
}

/** @returns why the file should be requested again; undefined if it is in the cache. @throws MissingCodeError if it does not exist */
async function problemOf(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(url)
    await answer.arrayBuffer()
    if (answer.ok) return undefined
    if (answer.status === 404) throw new MissingCodeError(url, `status ${String(answer.status)}`)
    return `status ${String(answer.status)}`
  } catch (error) {
    if (error instanceof TypeError) return error.message
    throw error
  }
}

function applyStyles(url: string): Promise<void> {
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = url
  document.head.append(link)
  return new Promise((resolve, reject) => {
    link.onload = () => resolve()
    link.onerror = () => {
      link.remove()
      reject(new MissingCodeError(url, 'not a style sheet'))
    }
  })
}
