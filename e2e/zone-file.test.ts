import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { svc, type Place } from '../packages/cli/test/svc.js'
import { databaseKinds } from '../packages/server/test/app.js'
import { startSite, type Site } from '../packages/server/test/site.js'
import { startPowerDnsSite } from '../packages/server/test/powerdns-site.js'
import { ownerOn, type Owner } from '../packages/server/test/zone-owner.js'
import { ensure } from '../test/servers/index.js'

/** Export and import of zone files with the operator's commands, beside a running server. */

const run = promisify(execFile)

/** Every type, and text with characters that are special in zone files. */
const records = [
  { type: 'A', value: '192.0.2.1' },
  { type: 'AAAA', value: '2001:db8::1', ttl: 60 },
  { type: 'MX', value: 'mail.example.org', priority: 10 },
  { type: 'MX', value: 'mail2.example.org', priority: 20 },
  { type: 'TXT', value: 'v=spf1 -all' },
  { type: 'SPF', value: 'v=spf1 -all' },
  { type: 'TXT', host: 'nasty', value: 'a"b\\c;d(e)f \\065 $TTL @ grün\t🎉' },
  { type: 'TXT', host: 'key._domainkey', value: `v=DKIM1; p=${'MIIBIjANBgkqh'.repeat(40)}` },
  { type: 'CAA', value: '128 issue "letsencrypt.org; validationmethods=dns-01"' },
  { type: 'CAA', value: '0 iodef "mailto:a\\"b@example.org"' },
  { type: 'A', host: 'www', value: '192.0.2.2', ttl: 2592000 },
  { type: 'A', host: 'www', value: '192.0.2.3' },
  { type: 'CNAME', host: 'alias', value: '_target.example.org' },
  { type: 'CNAME', host: '*.wild', value: 'www.example.org' },
  { type: 'SRV', host: '_sip._tcp', value: '5 5060 sip.example.org', priority: 0 },
  { type: 'SRV', host: '_imap._tcp', value: '0 0 .', priority: 1 },
  { type: 'NS', host: 'sub', value: 'ns1.example.org' },
  { type: 'PTR', host: '1', value: 'host.example.org' },
]

describe.each(databaseKinds)('on %s', (kind) => {
  let site: Site
  let place: Place
  let owner: Owner
  beforeAll(async () => {
    site = await startSite(kind)
    const { database } = site
    const url = database.kind === 'sqlite' ? `sqlite:${database.file}` : database.url
    place = { cwd: await mkdtemp(join(tmpdir(), 'svc-zone-file-')), env: { SVC_DATABASE: url } }
    owner = await ownerOn(site)
  })
  afterAll(async () => {
    await site.stop()
    await rm(place.cwd, { recursive: true })
  })

  const listed = async (path: string, by: Owner) => {
    const answer = await by.call('GET', path)
    return (answer.body['data'].records as Record<string, unknown>[])
      .map(({ type, host, value, ttl, priority }) => JSON.stringify({ type, host, value, ttl, priority }))
      .sort()
  }

  it('an export passes named-checkzone, and its import into a zone of another account results in equal records', async () => {
    const zone = await owner.claim('export.example')
    for (const record of records) await zone.add(record)
    const exported = await svc(['dns', 'export', 'Export.Example.', '--output', 'out.zone'], place)
    expect(exported).toEqual({ code: 0, stdout: '', stderr: '' })
    expect((await svc(['dns', 'export', 'export.example'], place)).stdout).toBe(
      await readFile(join(place.cwd, 'out.zone'), 'utf8'),
    )

    const checkzone = ensure('named-checkzone')
    const { stdout } = await run(checkzone, ['-i', 'local', 'export.example', join(place.cwd, 'out.zone')])
    expect(stdout).toMatch(/^zone export.example\/IN: loaded serial \d+\nOK\n$/m)

    const other = await ownerOn(site)
    const copy = await other.claim('import.example')
    const file = (await readFile(join(place.cwd, 'out.zone'), 'utf8')).replaceAll('export.example', 'import.example')
    const serial = await copy.serial()
    const imported = await svc(['dns', 'import', 'import.example', '--account', other.account.email], place, file)
    expect(imported).toEqual({
      code: 0,
      stdout: '',
      stderr:
        "line 3: the SOA record is the platform's own: skipped\n" +
        "lines 4, 5: NS records at the apex are the platform's own: skipped\n" +
        `import.example of ${other.account.email} has 18 records: 18 created, 0 with a new ttl, 0 deleted. ` +
        `Its serial is ${serial + 1}.\n`,
    })
    expect(await listed(copy.path, other)).toEqual(await listed(zone.path, owner))

    const again = await svc(['dns', 'import', 'import.example', '--replace'], place, file)
    expect(again.stderr).toContain(`18 records: 0 created, 0 with a new ttl, 0 deleted. Its serial is ${serial + 1}.`)
  })

  it('a running server serves imported records within a second', async () => {
    const zone = await owner.claim('served.example')
    await zone.add({ type: 'A', host: 'old', value: '192.0.2.9' })
    await zone.add({ type: 'A', host: 'kept', value: '192.0.2.8' })
    await writeFile(join(place.cwd, 'served.zone'), 'new 300 A 192.0.2.1\nkept 60 A 192.0.2.8\n')
    const dry = await svc(['dns', 'import', 'served.example', 'served.zone', '--replace', '--dry-run'], place)
    expect(dry.stdout).toBe(
      '- old\t3600\tIN\tA\t192.0.2.9\n+ new\t300\tIN\tA\t192.0.2.1\n~ kept\t60\tIN\tA\t192.0.2.8\n',
    )
    expect(dry.stderr).toContain('would have 2 records: 1 created, 1 with a new ttl, 1 deleted. Nothing was changed.')
    expect(await listed(zone.path, owner)).toHaveLength(2)

    expect(await svc(['dns', 'import', 'served.example', 'served.zone', '--replace'], place)).toMatchObject({ code: 0 })
    const dig = ensure('dig')
    const digs = async (host: string) => {
      const where = ['@127.0.0.1', '-p', String(site.dnsPort), '+noall', '+answer', '+nocomments']
      const { stdout } = await run(dig, [...where, `${host}.served.example`, 'A'])
      return stdout.trim().replaceAll(/\s+/g, ' ')
    }
    const deadline = Date.now() + 1000
    while ((await digs('new')) === '' && Date.now() < deadline) await sleep(50)
    expect(await digs('new')).toBe('new.served.example. 300 IN A 192.0.2.1')
    expect(await digs('kept')).toBe('kept.served.example. 60 IN A 192.0.2.8')
    expect(await digs('old')).toBe('')

    // The next change through the API continues from the imported zone.
    await zone.add({ type: 'A', host: 'next', value: '192.0.2.7' })
    expect(await digs('next')).toBe('next.served.example. 3600 IN A 192.0.2.7')
  })

  // What follows does not depend on the database.
  if (kind === 'postgres') return

  it('a file with errors is not imported, and every error is reported with its line', async () => {
    const zone = await owner.claim('faults.example')
    await zone.add({ type: 'CNAME', host: 'alias', value: 'www.example.org' })
    const importing = (file: string, ...options: string[]) =>
      svc(['dns', 'import', 'faults.example', ...options], place, file)

    expect(await importing('ok A 192.0.2.1\nbad A 1.2.3\n@ TXT "open\n')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'svc: line 2: value must be an IPv4 address such as 192.0.2.1, not "1.2.3".\n' +
        'svc: line 3: a quotation mark is not closed on its line\n' +
        'svc: Nothing was imported.\n',
    })
    const soa = '@ SOA ns1 hostmaster 1 2 3 4 300\n'
    const note = "^line 1: the SOA record is the platform's own: skipped\n"
    expect((await importing(`${soa}bad A 1.2.3\n`)).stderr).toMatch(RegExp(`${note}svc: line 2: value must be`))
    expect((await importing(`${soa}alias A 192.0.2.1\n`)).stderr).toMatch(
      RegExp(`${note}svc: line 2: alias already has a CNAME`),
    )
    expect((await importing(soa, '--replace')).stderr).toMatch(
      RegExp(`${note}svc: The file has no records for faults.example`),
    )
    expect(await listed(zone.path, owner)).toHaveLength(1)
  })

  it('an import needs a verified zone and a readable file; an export needs a zone that was verified', async () => {
    const importing = (...args: string[]) => svc(['dns', 'import', ...args], place, 'a A 192.0.2.1\n')
    await owner.claim('mine.example')
    const { stderr } = await importing('mine.example', '--account', 'bob@example.com')
    expect(stderr).toBe(`svc: mine.example is verified for ${owner.account.email}, not for bob@example.com.\n`)
    expect((await importing('nobody.example')).stderr).toMatch(/^svc: No account has verified nobody.example: claim it/)
    expect((await importing('www.mine.example')).stderr).toMatch(/^svc: ZONE must be the apex domain mine.example/)
    expect((await importing('mine.example', 'no.zone')).stderr).toMatch(/^svc: ENOENT: no such file or directory/)
    expect((await svc(['dns', 'export', 'nobody.example'], place)).stderr).toMatch(
      /^svc: There is no zone nobody.example/,
    )
    await writeFile(join(place.cwd, 'latin1.zone'), '@ TXT "gr\u00fcn"\n', 'latin1')
    expect((await importing('mine.example', 'latin1.zone')).stderr).toMatch(/^svc: The file is not in UTF-8/)
  })
})

it('PowerDNS has all 10,000 records of a file after the import, and none if it could not be reached', async () => {
  const { site, powerdns, gateway, held, owner, stop } = await startPowerDnsSite('sqlite')
  const cwd = await mkdtemp(join(tmpdir(), 'svc-zone-file-'))
  try {
    const { database } = site
    const env = {
      SVC_DATABASE: database.kind === 'sqlite' ? `sqlite:${database.file}` : database.url,
      SVC_DNS: `powerdns+${gateway.url}`,
      SVC_POWERDNS_KEY: powerdns.key,
      SVC_NAMESERVERS: 'ns1.svc.example,ns2.svc.example',
    }
    const zone = await (await owner()).claim('provider.example')
    await zone.add({ type: 'A', host: 'old', value: '192.0.2.9' })
    const before = await held(zone.zone)
    const file = Array.from({ length: 10_000 }, (_, n) => `h${n} 300 A 192.0.2.${n % 256}\n`).join('')
    const importing = () => svc(['dns', 'import', zone.zone, '--replace'], { cwd, env }, file)

    await powerdns.pause()
    const failed = await importing()
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^svc: .*provider/m) })
    await powerdns.resume()
    expect((await zone.list()).body['data'].records).toHaveLength(1)
    expect(await held(zone.zone)).toEqual(before)

    const start = performance.now()
    expect(await importing()).toMatchObject({ code: 0, stderr: expect.stringContaining('10000 created') })
    expect(performance.now() - start).toBeLessThan(30_000)
    expect(await zone.served('h9999', 'A')).toEqual(['300 192.0.2.15'])
    expect(await zone.served('old', 'A')).toEqual([])
    expect(await held(zone.zone)).toHaveLength(10_003)
    const synced = await svc(['dns', 'sync', '--dry-run'], { cwd, env })
    expect(synced.stderr).toBe('1 zone: 1 in sync.\n')
  } finally {
    await stop()
    await rm(cwd, { recursive: true })
  }
})
