import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Document } from '../../http/answer.js'
import type { PublicRoute } from '../../http/area.js'
import { lazy } from '../../shared/lazy.js'
import { acceptsGzip } from '../../shared/accepts.js'

/**
 * The code with which the script tests whether it may compile code. The page's policy forbids that, and browsers would
 * report the attempt.
 */
const policyTest = 'return new Function(""),!0'

/** The script of Scalar in the installed package. */
const vendorFile = () =>
  join(dirname(createRequire(import.meta.url).resolve('@scalar/fastify-api-reference')), 'js', 'standalone.js')

/**
 * The large script of the reference page. It is read again at its first request, then kept: compressed for browsers, and
 * uncompressed once a client has requested that.
 * @throws Error if the script is not the expected one
 */
export async function referenceScript(path: string, file = vendorFile()): Promise<PublicRoute> {
  await checkScript(file)
  const script = async () => (await readFile(file, 'utf8')).replace(policyTest, 'return!1')
  const compressed = lazy(async () => scriptDocument(await promisify(gzip)(await script()), 'gzip'))
  const plain = lazy(async () => scriptDocument(await script()))
  return { path, answer: ({ header }) => (acceptsGzip(header('accept-encoding')) ? compressed() : plain()) }
}

/**
 * Checks the script at start, so that an update of the vendor's package fails its first test and no reader. In pieces: the whole
 * script would stay in the memory of an idle server.
 */
async function checkScript(file: string): Promise<void> {
  let end = ''
  for await (const piece of createReadStream(file, 'latin1') as AsyncIterable<string>) {
    if ((end + piece).includes(policyTest)) return
    end = piece.slice(-policyTest.length)
  }
  throw new Error(
    `${file} does not contain ${policyTest}. @scalar/fastify-api-reference has changed: ` +
      "find the code that tests whether the page's policy allows new Function(), and adapt policyTest.",
  )
}

function scriptDocument(content: string | Buffer, encoding?: string): Document {
  const headers = { vary: 'Accept-Encoding', ...(encoding !== undefined && { 'content-encoding': encoding }) }
  return new Document(content, 'text/javascript; charset=utf-8', headers)
}
