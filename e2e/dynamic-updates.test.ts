import { X509Certificate } from 'node:crypto'
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { updateKey, type UpdateKey } from '../packages/server/test/dns-updater.js'
import { startSite, type Browser, type Site } from '../packages/server/test/site.js'
import { ownerOn, type Owner, type ZoneClient } from '../packages/server/test/zone-owner.js'
import { ensure, freePort, startPebble, startProcess, type Pebble } from '../test/servers/index.js'

/** Unmodified clients of RFC 2136 change zones with the keys of accounts: the examples of docs/dynamic-updates.md. */

let folder: string
let site: Site
let pebble: Pebble
let owner: Owner
let browser: Browser
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-updates-'))
  site = await startSite('sqlite')
  pebble = await startPebble(site.dnsPort)
  owner = await ownerOn(site)
  browser = await site.browser(owner.account.email)
})
afterAll(async () => {
  await pebble.stop()
  await site.stop()
  await rm(folder, { recursive: true })
})

async function run(command: string, args: readonly string[], { input = '', env = {} }: Input = {}) {
  const child = spawn(ensure(command), args, { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, ...env } })
  child.stdin.end(input)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, stdout, stderr }
}

interface Input {
  readonly input?: string
  readonly env?: Record<string, string>
}

const keyFile = async (key: UpdateKey): Promise<string> => {
  const file = join(folder, `${key.tokenId}.key`)
  await writeFile(file, `key "${key.name}" { algorithm ${key.algorithm}; secret "${key.text}"; };\n`)
  return file
}

/** A key that can change the challenges of a zone, and nothing else. */
const challengeKey = ({ zone }: ZoneClient): Promise<UpdateKey> =>
  updateKey(browser, {
    rules: [
      { kind: 'zone', name: zone, hosts: ['_acme-challenge', '_acme-challenge.**'], types: ['TXT'], access: 'write' },
    ],
  })

describe.each(['hmac-sha256', 'hmac-sha512'] as const)('with a key of %s', (algorithm) => {
  const atZone = (zone: ZoneClient, ...lines: string[]) =>
    [`server 127.0.0.1 ${site.dnsPort}`, `zone ${zone.zone}`, ...lines, 'send', ''].join('\n')

  it.each([
    ['nsupdate', 'udp'],
    ['nsupdate', 'tcp'],
    ['knsupdate', 'udp'],
    ['knsupdate', 'tcp'],
  ])('%s over %s adds, replaces and deletes records, and reports what is refused', async (program, transport) => {
    const zone = await owner.claim()
    const key = await updateKey(browser, { algorithm })
    const signing = program === 'nsupdate' ? ['-k', await keyFile(key)] : ['-y', `${algorithm}:${key.name}:${key.text}`]
    const args = [...signing, ...(transport === 'tcp' ? ['-v'] : [])]
    const send = (...lines: string[]) => run(program, args, { input: atZone(zone, ...lines) })
    const [add, remove] = ['update add', 'update delete']
    const name = `home.${zone.zone}.`
    expect(await send(`${add} ${name} 300 A 192.0.2.1`, `${add} ${name} 300 TXT "a b" "c"`)).toMatchObject({ code: 0 })
    expect(await zone.served('home', 'A')).toEqual(['300 192.0.2.1'])
    expect(await zone.served('home', 'TXT')).toEqual(['300 a bc'])
    expect(await send(`${remove} ${name} A`, `${add} ${name} 60 A 192.0.2.2`)).toMatchObject({ code: 0 })
    expect(await zone.served('home', 'A')).toEqual(['60 192.0.2.2'])
    const refused = await send(`prereq nxdomain ${name}`, `${add} ${name} 60 A 192.0.2.3`)
    expect(`${refused.stdout}${refused.stderr}`).toContain('YXDOMAIN')
    const alias = await send(`${add} ${name} 60 CNAME www.example.net.`)
    expect(`${alias.stdout}${alias.stderr}`).toContain('REFUSED')
    expect(await send(`${remove} ${name}`)).toMatchObject({ code: 0 })
    expect((await zone.list()).body['data'].records).toEqual([])
  })
})

it('nsupdate finds the zone by itself', async () => {
  const zone = await owner.claim()
  const key = await updateKey(browser)
  const input = `server 127.0.0.1 ${site.dnsPort}\nupdate add a.b.${zone.zone}. 300 A 192.0.2.1\nsend\n`
  expect(await run('nsupdate', ['-k', await keyFile(key)], { input })).toMatchObject({ code: 0, stderr: '' })
  expect(await zone.served('a.b', 'A')).toEqual(['300 192.0.2.1'])
})

describe('ACME clients get a certificate for a zone and its wildcard, and leave no challenge behind:', () => {
  async function expectCertificate(zone: ZoneClient, file: string) {
    const names = new X509Certificate(await readFile(join(folder, file), 'utf8')).subjectAltName
    expect(names?.split(', ').sort()).toEqual([`DNS:*.${zone.zone}`, `DNS:${zone.zone}`])
    expect((await zone.list()).body['data'].records).toEqual([])
  }

  it('lego', async () => {
    const zone = await owner.claim()
    const key = await challengeKey(zone)
    const args = [
      ...['--server', pebble.url, '--email', 'ada@example.com', '--accept-tos', '--path', join(folder, 'lego')],
      ...['--dns', 'rfc2136', '--dns.resolvers', `127.0.0.1:${site.dnsPort}`, '--dns.disable-cp'],
      ...['-d', zone.zone, '-d', `*.${zone.zone}`, 'run'],
    ]
    const env = {
      LEGO_CA_CERTIFICATES: pebble.ca,
      RFC2136_NAMESERVER: `127.0.0.1:${site.dnsPort}`,
      RFC2136_TSIG_ALGORITHM: `${key.algorithm}.`,
      RFC2136_TSIG_KEY: key.name,
      RFC2136_TSIG_SECRET: key.text,
      RFC2136_SEQUENCE_INTERVAL: '0',
      RFC2136_POLLING_INTERVAL: '1',
    }
    const { code, stdout, stderr } = await run('lego', args, { env })
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 })
    await expectCertificate(zone, `lego/certificates/${zone.zone}.crt`)
  })

  it('certbot with its plug-in', async () => {
    ensure('certbot-dns-rfc2136')
    const zone = await owner.claim()
    const key = await challengeKey(zone)
    const settings = {
      server: '127.0.0.1',
      port: site.dnsPort,
      name: key.name,
      secret: key.text,
      algorithm: 'HMAC-SHA256',
    }
    const file = join(folder, 'rfc2136.ini')
    await writeFile(
      file,
      Object.entries(settings)
        .map(([name, value]) => `dns_rfc2136_${name} = ${value}\n`)
        .join(''),
    )
    await chmod(file, 0o600)
    const args = [
      ...[
        'certonly',
        '--non-interactive',
        '--agree-tos',
        '-m',
        'ada@example.com',
        '--server',
        pebble.url,
        '--no-eff-email',
      ],
      ...['config', 'work', 'logs'].flatMap((name) => [`--${name}-dir`, join(folder, 'certbot', name)]),
      ...['--dns-rfc2136', '--dns-rfc2136-credentials', file, '--dns-rfc2136-propagation-seconds', '0'],
      ...['-d', zone.zone, '-d', `*.${zone.zone}`],
    ]
    const { code, stdout, stderr } = await run('certbot', args, { env: { REQUESTS_CA_BUNDLE: pebble.ca } })
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 })
    await expectCertificate(zone, `certbot/config/live/${zone.zone}/cert.pem`)
  })

  it('dehydrated with the hook of the documentation', async () => {
    const zone = await owner.claim()
    const key = await keyFile(await challengeKey(zone))
    const document = await readFile(new URL('../docs/dynamic-updates.md', import.meta.url), 'utf8')
    const [, hook = ''] = /```sh\n(#!\/bin\/sh\n# dehydrated[^`]*)```/.exec(document) ?? []
    expect(hook).toContain('/etc/dehydrated/svc.key')
    const file = join(folder, 'hook.sh')
    await writeFile(
      file,
      hook.replace('192.0.2.53 53', `127.0.0.1 ${site.dnsPort}`).replace('/etc/dehydrated/svc.key', key),
    )
    await chmod(file, 0o755)
    ensure('nsupdate')
    const config = { CA: pebble.url, CHALLENGETYPE: 'dns-01', HOOK: file, BASEDIR: folder, KEY_ALGO: 'prime256v1' }
    await writeFile(
      join(folder, 'config'),
      Object.entries(config)
        .map(([name, value]) => `${name}="${value}"\n`)
        .join(''),
    )
    const env = { CURL_CA_BUNDLE: pebble.ca }
    const dehydrated = (...args: string[]) => run('dehydrated', ['--config', join(folder, 'config'), ...args], { env })
    expect(await dehydrated('--register', '--accept-terms')).toMatchObject({ code: 0 })
    expect(await dehydrated('--cron', '--domain', `${zone.zone} *.${zone.zone}`)).toMatchObject({ code: 0 })
    await expectCertificate(zone, `certs/${zone.zone}/cert.pem`)
  })
})

it('Kea adds, moves and removes the name of a host, with its conflict resolution off', async () => {
  const zone = await owner.claim()
  const reverse = await owner.claim('2.0.192.in-addr.arpa')
  const key = await updateKey(browser)
  const port = await freePort()
  const servers = [{ 'ip-address': '127.0.0.1', port: site.dnsPort }]
  const domain = (name: string) => ({
    'ddns-domains': [{ name: `${name}.`, 'key-name': key.name, 'dns-servers': servers }],
  })
  const config = {
    DhcpDdns: {
      ...{ 'ip-address': '127.0.0.1', port },
      'tsig-keys': [{ name: key.name, algorithm: 'HMAC-SHA256', secret: key.text }],
      'forward-ddns': domain(zone.zone),
      'reverse-ddns': domain(reverse.zone),
      loggers: [{ name: 'kea-dhcp-ddns', output_options: [{ output: 'stdout' }], severity: 'DEBUG' }],
    },
  }
  await writeFile(join(folder, 'kea.json'), JSON.stringify(config))
  const log = join(folder, 'kea.log')
  const env = { ...process.env, KEA_PIDFILE_DIR: folder, KEA_LOCKFILE_DIR: folder }
  const started = async () => (await readFile(log, 'utf8')).includes('DHCP_DDNS_STARTED')
  const kea = await startProcess({
    command: ensure('kea-dhcp-ddns'),
    args: ['-c', join(folder, 'kea.json')],
    log,
    ready: started,
    env,
  })
  const socket = createSocket('udp4')
  /** As the DHCP server tells it (Kea's "name change request"). @param type 0: a lease, 1: its end */
  const tell = (type: 0 | 1, address: string) => {
    const request = Buffer.from(
      JSON.stringify({
        ...{ 'change-type': type, 'forward-change': true, 'reverse-change': true, fqdn: `host.${zone.zone}.` },
        ...{ 'ip-address': address, dhcid: '00010203040506', 'lease-expires-on': '20990101000000' },
        ...{ 'lease-length': 3600, 'use-conflict-resolution': false },
      }),
    )
    socket.send(Buffer.concat([Buffer.from([request.length >> 8, request.length & 255]), request]), port, '127.0.0.1')
  }
  const names = async () =>
    [
      ...(await zone.served('host', 'A')),
      ...(await reverse.served('7', 'PTR')),
      ...(await reverse.served('8', 'PTR')),
    ].map((record) => record.split(' ')[1])
  const becomes = (...wanted: string[]) =>
    vi.waitFor(async () => expect(await names()).toEqual(wanted), { timeout: 10_000 })
  try {
    tell(0, '192.0.2.7')
    await becomes('192.0.2.7', `host.${zone.zone}`)
    tell(0, '192.0.2.8')
    await becomes('192.0.2.8', `host.${zone.zone}`, `host.${zone.zone}`)
    tell(1, '192.0.2.8')
    await becomes(`host.${zone.zone}`)
  } finally {
    socket.close()
    await kea.stop()
  }
})
