import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ddclientConfig, inadynConfig } from '../packages/console/src/areas/account/update-clients.js'
import { tokenStore } from '../packages/server/src/areas/account/tokens/store.js'
import { unlimited } from '../packages/server/src/areas/account/tokens/limits.js'
import { databaseKinds } from '../packages/server/test/app.js'
import { startSite, type Site } from '../packages/server/test/site.js'
import { ownerOn, type ZoneClient } from '../packages/server/test/zone-owner.js'
import { ensure } from '../test/servers/index.js'
import { blocksOf, sectionOf } from './markdown-blocks.js'

/** Real clients of dynamic DNS, with the configurations of docs/dynamic-dns.md and of the console. */

const document = readFileSync(new URL('../docs/dynamic-dns.md', import.meta.url), 'utf8')
const blockOf = (heading: string): string => blocksOf(sectionOf(document, heading))[0]?.text ?? ''

const run = promisify(execFile)

describe.each(databaseKinds)('clients of dynamic DNS on %s', (kind) => {
  let folder: string
  let site: Site
  let zone: ZoneClient
  let secrets: { readonly token: string; readonly updateKey: string | null }
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-dyndns-'))
    site = await startSite(kind)
    const owner = await ownerOn(site)
    zone = await owner.claim()
    secrets = await tokenStore(site.app.database).create(owner.account, 'router', ['dns:write'], {
      ...unlimited,
      rules: [{ kind: 'zone', name: zone.zone, hosts: ['home'], types: ['A', 'AAAA'], access: 'write' }],
      hasUpdateKey: true,
    })
  })
  afterAll(async () => {
    await site.stop()
    await rm(folder, { recursive: true })
  })

  const name = () => `home.${zone.zone}`
  /** A text of the document for this server, which has no TLS. */
  const here = (text: string) =>
    text
      .replaceAll('https://api.example.com', site.url)
      .replaceAll('api.example.com', new URL(site.url).host)
      .replaceAll('home.example.com', name())
      .replaceAll('TOKEN', secrets.token)
      .replaceAll('KEY', secrets.updateKey ?? '')
      .replace('ssl=yes', 'ssl=no')
      .replace(/(ssl +=) true/g, '$1 false')
  const client = () => ({ serverUrl: site.url, token: secrets.token, name: name() })

  /** Runs a client once. @returns its exit code and its output */
  async function once(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
    try {
      const { stdout, stderr } = await run(ensure(command), args, { timeout: 20_000 })
      return { code: 0, output: stdout + stderr }
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { code, output: stdout + stderr }
    }
  }

  let runs = 0
  async function ddclient(config: string, ...args: string[]) {
    const file = join(folder, `ddclient-${String(++runs)}`)
    await writeFile(`${file}.conf`, config, { mode: 0o600 })
    const flags = ['-file', `${file}.conf`, '-cache', `${file}.cache`, '-daemon=0', '-noquiet', '-verbose']
    return once('ddclient', [...flags, ...args])
  }

  async function inadyn(config: string) {
    const file = join(folder, `inadyn-${String(++runs)}`)
    await writeFile(`${file}.conf`, config, { mode: 0o600 })
    const flags = ['--once', '--foreground', '--force', '--no-pidfile', '--loglevel=info', `--cache-dir=${folder}`]
    return once('inadyn', [...flags, `--config=${file}.conf`])
  }

  const remove = async () => {
    for (const { id } of (await zone.list()).body['data'].records as { id: number }[]) await zone.remove(id)
  }

  it.each<[string, () => string]>([
    ['the document', () => here(blockOf('ddclient'))],
    ['the console', () => ddclientConfig(client())],
  ])('ddclient updates the host with the configuration of %s', async (_name, config) => {
    await remove()
    const first = await ddclient(config())
    expect(first, first.output).toMatchObject({
      code: 0,
      output: expect.stringMatching(/SUCCESS: .*good.*127\.0\.0\.1/),
    })
    expect(await zone.served('home', 'A')).toEqual(['60 127.0.0.1'])
    const serial = await zone.serial()
    expect((await ddclient(config())).output).toMatch(/nochg/)
    expect(await zone.serial()).toBe(serial)
  })

  it('ddclient updates several hosts in one request, and reports those that are refused', async () => {
    const config = here(blockOf('ddclient')).replace(/\n$/, `,other.${zone.zone}\n`)
    const { output } = await ddclient(config)
    expect(output).toMatch(new RegExp(`(SUCCESS|WARNING): .*${name()}`))
    expect(output).toMatch(new RegExp(`FAILED: .*other\\.${zone.zone}: nohost`))
  })

  it('ddclient reports a wrong token', async () => {
    const { output } = await ddclient(ddclientConfig({ ...client(), token: `svc_${'0'.repeat(32)}` }))
    expect(output).toMatch(/FAILED: .*(authorization|authentication) failed/)
  })

  it.each<[string, () => string]>([
    ['the document', () => here(blockOf('inadyn'))],
    ['the console', () => inadynConfig(client())],
  ])('inadyn updates the host with the configuration of %s', async (_name, config) => {
    await remove()
    const first = await inadyn(config())
    expect(first.code, first.output).toBe(0)
    expect(await zone.served('home', 'A')).toEqual(['60 127.0.0.1'])
    const serial = await zone.serial()
    expect((await inadyn(config())).code).toBe(0)
    expect(await zone.serial()).toBe(serial)
  })

  it('inadyn fails with a wrong token, and for another host', async () => {
    const wrong = await inadyn(inadynConfig({ ...client(), token: `svc_${'0'.repeat(32)}` }))
    expect(wrong.code).not.toBe(0)
    expect((await inadyn(inadynConfig({ ...client(), name: `other.${zone.zone}` }))).code).not.toBe(0)
  })

  it('the commands of the document update the host with curl', async () => {
    await remove()
    const shell = (text: string) => run('bash', ['-c', here(text)]).then(({ stdout }) => stdout)
    ensure('curl')
    expect(await shell(blockOf('Update with dyndns2'))).toBe('good 192.0.2.1\n')
    expect(await shell(blockOf('Update with a URL'))).toBe('good 127.0.0.1\n')
    const [, cron] = /^\*\/5 \* \* \* \* (.*)$/m.exec(document) ?? []
    expect(await shell(cron ?? '')).toBe('')
    await expect(shell(`${blockOf('Update with a URL').trim()}0`)).rejects.toThrow('404')
    expect(await zone.served('home', 'A')).toEqual(['60 127.0.0.1'])
  })
})
