import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startApp, type TestApp } from '../../server/test/app.js'
import { emptyPlace, svc, type Place } from './svc.js'

/** Zone files through the command line, with a token. */

vi.setConfig({ testTimeout: 60_000 })

let server: TestApp
let token: string
let place: Place & AsyncDisposable
beforeAll(async () => {
  server = await startApp('sqlite')
  token = await server.token(await server.account('ada@example.com'), 'dns:write')
  await server.call('POST', '/v1/dns/zones', { token, body: { zone: 'example.com' } })
})
afterAll(() => server.stop())
beforeEach(async () => {
  place = await emptyPlace()
})
afterEach(() => place[Symbol.asyncDispose]())

const dns = (args: readonly string[], stdin: string | Uint8Array = '') =>
  svc(['api', 'dns', ...args], { cwd: place.cwd, env: { SVC_URL: server.url, SVC_TOKEN: token } }, stdin)
const ofZone = ['--zone', 'example.com']

describe('svc api dns zone-file-…', () => {
  it('previews and imports a file, or stdin, and exports the zone to a file', async () => {
    await writeFile(join(place.cwd, 'example.com.zone'), 'www 300 A 192.0.2.1\nÜber 300 TXT "grün"\n')
    const preview = await dns(['zone-file-preview', ...ofZone, 'example.com.zone'])
    expect({ code: preview.code, stderr: preview.stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(preview.stdout)).toMatchObject({ created: 2, problems: [] })
    const imported = await dns(['zone-file-import', 'example.com.zone', ...ofZone])
    expect(JSON.parse(imported.stdout)).toMatchObject({ created: 2, deleted: 0 })

    const replaced = await dns(['zone-file-import', '-', '--replace', ...ofZone], 'www 300 A 192.0.2.1\n')
    expect(JSON.parse(replaced.stdout)).toMatchObject({ created: 0, deleted: 1 })
    expect((await dns(['zone-file-export', ...ofZone, '--output', 'out.zone'])).code).toBe(0)
    expect(await readFile(join(place.cwd, 'out.zone'), 'utf8')).toMatch(/^www\t300\tIN\tA\t192\.0\.2\.1$/m)
  })

  it('takes the text of --text too, but not both', async () => {
    const text = ['--text', 'api 300 A 192.0.2.2']
    expect(JSON.parse((await dns(['zone-file-preview', ...ofZone, ...text])).stdout)).toMatchObject({ created: 1 })
    const both = await dns(['zone-file-preview', '-', ...ofZone, ...text])
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--text and a file cannot be combined')])
    const none = await dns(['zone-file-preview', ...ofZone])
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('missing --text')])
  })

  it.each([
    ['is missing', ['none.zone'], 'the file cannot be read'],
    ['is not UTF-8', ['-'], 'the file must be UTF-8'],
  ])('a file that %s is a usage error', async (_, file, problem) => {
    const { code, stderr } = await dns(['zone-file-import', ...file, ...ofZone], Buffer.from([0x77, 0xff]))
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
  })

  it('the help shows a command with a file', async () => {
    const help = (await dns(['zone-file-import', '--help'])).stdout.replace(/\s+/g, ' ')
    expect(help).toContain('Usage: svc api dns zone-file-import FILE [flags]')
    expect(help).toContain('the file to send, or - for stdin; replaces --text')
    expect(help).toContain('svc api dns zone-file-import file.txt --zone example.com')
  })
})
