import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { ensure, freePort } from '../../../test/servers/index.js'
import { emptyPlace, svc, svcServe } from './svc.js'

// Commands load the whole of svc, and some start a process.
vi.setConfig({ testTimeout: 60_000 })

const email = 'ada@example.com'

interface Shown {
  readonly name: string
  readonly algorithm: string
  readonly secret: string
}

async function placeWithAccount(env: Record<string, string> = {}) {
  const place = { ...(await emptyPlace()), env }
  await svc(['user', 'add', email], place)
  return place
}

describe('svc token tsig', () => {
  it('prints a key that works at once beside a running server, until it is revoked by its name', async () => {
    const port = String(await freePort())
    await using place = await placeWithAccount({ SVC_DNS_PORT: port })
    await using server = await svcServe(place)
    const made = await svc(['token', 'tsig', email, '--name', 'acme', '--scope', 'dns:write', '--json'], place)
    const key = JSON.parse(made.stdout) as Shown
    expect(Object.keys(key)).toEqual(['name', 'algorithm', 'secret'])
    expect(key).toMatchObject({ name: expect.stringMatching(/^1\.[0-9a-f]{16}\.key$/), algorithm: 'hmac-sha256' })
    const dig = async () => {
      const y = `${key.algorithm}:${key.name}:${key.secret}`
      const args = ['@127.0.0.1', '-p', port, '-y', y, 'unknown.test', '+tries=1']
      return (await promisify(execFile)(ensure('dig'), args)).stdout
    }
    expect(await dig()).toMatch(/TSIG\s.* NOERROR 0/)
    expect((await svc(['key', 'rotate'], place)).stderr).toContain('Rewrapped the data keys of 1 secret.')
    expect(await dig()).toMatch(/TSIG\s.* NOERROR 0/)
    expect(await svc(['token', 'revoke', email, 'acme'], place)).toMatchObject({ code: 0 })
    expect(await dig()).toContain('BADKEY')
    expect(await server.stop()).toBe(0)
  })

  it('a key has the rules and limits of tokens, and is listed, changed and never rotated by its name', async () => {
    await using place = await placeWithAccount()
    const rule = '{"kind":"zone","name":"Example.com","hosts":["_acme-challenge"],"types":["TXT"],"access":"write"}'
    const limits = ['--rule', rule, '--network', '192.0.2.0/24', '--expires', '30d', '--unused-days', '90']
    const given = ['--name', 'acme', '--scope', 'dns:write', '--algorithm', 'HMAC-SHA512', ...limits]
    const made = await svc(['token', 'tsig', email, ...given], place)
    expect(made.stderr).toBe('Created the key "acme" with dns:write. Its secret is shown only once:\n')
    expect(made.stdout).toMatch(/^hmac-sha512:1\.[0-9a-f]{16}\.key:[A-Za-z0-9+/]{86}==\n$/)
    const [, name] = made.stdout.split(':')
    const listed = JSON.parse((await svc(['token', 'list', email, '--json'], place)).stdout)
    expect(listed).toMatchObject([
      {
        name: 'acme',
        tsig: { name, algorithm: 'hmac-sha512' },
        networks: ['192.0.2.0/24'],
        unused_days: 90,
        rules: [{ name: 'example.com', access: 'write' }],
        status: 'active',
      },
    ])
    expect((await svc(['token', 'list', email], place)).stdout).toContain(`acme  ${name} `)
    const paused = await svc(['token', 'update', email, 'acme', '--pause', '--network', 'any', '--json'], place)
    expect(JSON.parse(paused.stdout)).toMatchObject({ status: 'paused', networks: [], tsig: { name } })
    const rotated = await svc(['token', 'rotate', email, 'acme'], place)
    expect(rotated).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is a TSIG key') })
  })

  it('another algorithm, a taken name and a missing name are refused', async () => {
    await using place = await placeWithAccount()
    const add = (...more: string[]) => svc(['token', 'tsig', email, '--name', 'acme', ...more], place)
    expect(await add('--algorithm', 'hmac-md5')).toMatchObject({
      code: 2,
      stderr: 'svc: --algorithm must be hmac-sha256 or hmac-sha512, not "hmac-md5".\n',
    })
    expect((await add()).code).toBe(0)
    expect(await add()).toMatchObject({
      code: 1,
      stderr: 'svc: --name "acme" is taken by another token: choose another one, or revoke that token first.\n',
    })
  })
})

describe('svc dns key', () => {
  it('adds, lists and removes the keys of the operator', async () => {
    await using place = await placeWithAccount()
    const none = await svc(['dns', 'key', 'list'], place)
    expect(none).toMatchObject({ stdout: '', stderr: 'No keys yet; svc dns key add creates one.\n' })
    const key = JSON.parse((await svc(['dns', 'key', 'add', 'NS2.Example.net.', '--json'], place)).stdout) as Shown
    expect(key).toEqual({
      name: 'ns2.example.net',
      algorithm: 'hmac-sha256',
      secret: expect.stringMatching(/^.{43}=$/),
    })
    const other = await svc(['dns', 'key', 'add', 'ns3', '--algorithm', 'hmac-sha512'], place)
    expect(other.stdout).toMatch(/^hmac-sha512:ns3:[A-Za-z0-9+/]{86}==\n$/)
    const listed = await svc(['dns', 'key', 'list', '--json'], place)
    expect(JSON.parse(listed.stdout)).toEqual([
      { name: 'ns2.example.net', algorithm: 'hmac-sha256', created_at: expect.stringMatching(/Z$/) },
      { name: 'ns3', algorithm: 'hmac-sha512', created_at: expect.stringMatching(/Z$/) },
    ])
    expect((await svc(['dns', 'key', 'list'], place)).stdout).toMatch(/^name .*\nns2\.example\.net .*\nns3 .*\n$/)
    expect(await svc(['dns', 'key', 'remove', 'ns3'], place)).toMatchObject({ stderr: 'Removed the key ns3.\n' })
    expect(await svc(['dns', 'key', 'remove', 'ns3'], place)).toMatchObject({
      code: 1,
      stderr: 'svc: There is no key ns3; svc dns key list shows all.\n',
    })
    const events = await svc(['events', '--json'], place)
    expect(events.stdout).toMatch(/svc dns key remove[^]*svc dns key add/)
    expect(events.stdout).not.toContain(key.secret)
  })

  it('refuses names that are no DNS names, taken ones, and those of the keys of accounts', async () => {
    await using place = await placeWithAccount()
    const add = async (name: string) => (await svc(['dns', 'key', 'add', name], place)).stderr
    expect(await add('a b')).toBe('svc: NAME must be a DNS name such as ns2 or ns2.example.net, not "a b".\n')
    expect(await add('1.0123456789abcdef.key')).toContain('must not have the form of the keys of accounts')
    await add('ns2')
    expect(await add('ns2')).toContain('NAME "ns2" is taken by another key')
  })
})
