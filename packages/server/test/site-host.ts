import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import { expect } from 'vitest'
import { send, type HttpAnswer } from './raw-http.js'

/** Deploys sites and asks for their pages by host, for tests of serving. */

/** Contents by path. */
export type SiteFiles = Readonly<Record<string, string | Buffer>>

function zipOf(files: SiteFiles): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [path, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), path)
  zip.end()
  return buffer(zip.outputStream)
}

/** @param url of the server */
export async function deploySite(url: string, token: string, name: string, files: SiteFiles): Promise<HttpAnswer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/zip' }
  const answer = await send(url, 'POST', `/v1/sites/deploy?name=${name}`, { headers, body: await zipOf(files) })
  expect(answer.status, answer.text).toBe(200)
  return answer
}

/** @param host with or without a port */
export const getPage = (
  url: string,
  host: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<HttpAnswer> => send(url, method, path, { headers: { host, ...headers } })

/** The body of an answer, not as text. */
export async function getBytes(
  url: string,
  host: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<Buffer> {
  const outgoing = request(url + path, { headers: { host, ...headers }, agent: false })
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  return buffer(response)
}
