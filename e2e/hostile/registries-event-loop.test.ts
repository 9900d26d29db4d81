import { gzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { rdapDocument, startRdap, startWhois } from '../../packages/server/test/registry-servers.js'
import { guardedServer } from './guarded-server.js'

/** No answer of a registry blocks the event loop. */

const rdap = await startRdap()
const whois = await startWhois()
afterAll(() => Promise.all([rdap.stop(), whois.stop()]))

const { send, expectNoGap } = guardedServer('sqlite', '--rdap-url', rdap.url, '--whois', whois.host)

let domains = 0
/** Looks up four domains that are not cached. @returns the statuses */
async function lookUps(): Promise<readonly (number | undefined)[]> {
  const calls = Array.from({ length: 4 }, () => {
    domains += 1
    return send({ method: 'GET', path: `/v1/whois?domain=example${String(domains)}.com` })
  })
  return (await Promise.all(calls)).map((answer) => answer?.status)
}

const kilobyte = 1024
const bomb = gzipSync(Buffer.alloc(100 * kilobyte * kilobyte, ' '))

it('the first look-up, which loads the libraries, does not block the event loop', async () => {
  rdap.respond = (request, response) => {
    const domain = request.url?.split('/').at(-1) ?? ''
    response.end(JSON.stringify(rdapDocument(domain)))
  }
  expect(await lookUps()).toEqual([200, 200, 200, 200])
  await expectNoGap(async () => {
    expect(await lookUps()).toEqual([200, 200, 200, 200])
  })
})

it.each([
  ['objects', '{},'.repeat(43 * kilobyte)],
  ['nested arrays', '['.repeat(127 * kilobyte)],
  ['long numbers', `[${'1'.repeat(126 * kilobyte)}]`],
  ['HTML', '<p>'.repeat(40 * kilobyte)],
])('RDAP with %s does not block the event loop', async (_, text) => {
  rdap.respond = (__, response) => response.end(text)
  whois.respond = (socket) => socket.end('Welcome.\r\n')
  await expectNoGap(async () => {
    expect(await lookUps()).toEqual([502, 502, 502, 502])
  })
})

it('RDAP with a gzip bomb does not block the event loop', async () => {
  rdap.respond = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  await expectNoGap(async () => {
    expect(await lookUps()).toEqual([502, 502, 502, 502])
  })
})

it.each([
  ['statuses', 'Status: ok\n'.repeat(23 * kilobyte)],
  ['headings', `Registrar:\n${'\tx\n'.repeat(80 * kilobyte)}`],
  ['empty lines', '\n'.repeat(255 * kilobyte)],
  ['NUL', '\0'.repeat(255 * kilobyte)],
  ['dates', 'Created: 99999999999\n'.repeat(12 * kilobyte)],
  ['refusals', `error ${'limit '.repeat(30)}\n`.repeat(1_300)],
])('WHOIS with 255 kB of %s does not block the event loop', async (_, text) => {
  rdap.respond = (__, response) => response.writeHead(501).end()
  whois.respond = (socket) => socket.end(text)
  await expectNoGap(async () => {
    expect(await lookUps()).toEqual([502, 502, 502, 502])
  })
})
