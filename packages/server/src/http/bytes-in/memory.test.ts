import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { filePart, formType } from '../../../test/byte-forms.js'
import { resetByteSite, startByteSite, type ByteSite } from '../../../test/byte-site.js'

const isLong = process.env['SVC_TEST_LONG'] === '1'
const mebibytes = isLong ? 256 : 32

let site: ByteSite
beforeAll(async () => {
  site = await startByteSite()
})
beforeEach(() => {
  // The test would read the object into memory.
  site.behaviour.handle = () => Promise.reject(new Error('not kept'))
})
afterEach(() => resetByteSite(site))
afterAll(() => site.stop())

const fileHead = `--x\r\n${filePart('').toString()}`
const json = '{"name":"a","content":"'

/** A client in another process, so that only the memory of the server is measured. It prints the status of the answer. */
const client = `
  const { url, type, start, byte, isBase64, end, megabytes } = JSON.parse(process.argv[1])
  const bytes = Buffer.alloc(48 * 1024, byte)
  const piece = isBase64 ? Buffer.from(bytes.toString('base64').replaceAll('/', '\\\\/')) : bytes
  function* body() {
    yield Buffer.from(start)
    for (let i = 0; i < (megabytes * 1024) / 48; i++) yield piece
    yield Buffer.from(end)
  }
  const request = require('node:http').request(url, { method: 'POST', headers: { 'content-type': type } }, (response) => {
    console.log(response.statusCode)
    process.exit()
  })
  require('node:stream').Readable.from(body()).pipe(request)
`

interface Sent {
  readonly path: string
  readonly type: string
  readonly start: string
  readonly byte: number
  readonly isBase64?: true
  readonly end: string
}

async function send({ path, ...sent }: Sent, megabytes: number): Promise<string> {
  const call = JSON.stringify({ url: site.url + path, ...sent, megabytes })
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', client, call])
  return stdout.trim()
}

it.each<[string, Sent]>([
  [
    'raw bytes',
    { path: '/v1/files/upload-chunk?index=0', type: 'application/octet-stream', start: '', byte: 7, end: '' },
  ],
  ['a form', { path: '/v1/files/upload', type: formType, start: fileHead, byte: 7, end: '\r\n--x--\r\n' }],
  ['JSON', { path: '/v1/files/upload', type: 'application/json', start: json, byte: 7, isBase64: true, end: '"}' }],
  // Nothing but slashes, each as two characters.
  [
    'JSON of PHP',
    { path: '/v1/files/upload', type: 'application/json', start: json, byte: 255, isBase64: true, end: '"}' },
  ],
])(
  `${String(mebibytes)} MiB as %s take less than 100 MB of memory`,
  async (_, sent) => {
    await send(sent, 1)
    site.discarded.mockClear()
    const before = process.memoryUsage().rss
    let most = before
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20)
    // The handler refuses, so all bytes have been stored.
    expect(await send(sent, mebibytes)).toBe('500')
    clearInterval(timer)
    expect(site.discarded).toHaveBeenCalledTimes(1)
    expect(await site.objects()).toEqual([])
    expect(most - before).toBeLessThan(100_000_000)
  },
  120_000,
)
