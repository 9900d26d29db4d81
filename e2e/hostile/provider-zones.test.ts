import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setRRset } from '../../packages/server/test/powerdns-site.js'
import { startDnsServer, rcodes, type DnsServer, type DnsResponse } from '../../packages/server/test/dns-server.js'
import type { Serving } from '../../packages/cli/test/svc.js'
import { call, powerDnsServers, type PowerDnsServers } from './powerdns-servers.js'

/**
 * Zones that the operator created in PowerDNS: an account gets them only by `svc dns adopt` or a proof of control.
 * packages/server/test/powerdns-adopt.test.ts tests adoption on both databases, without processes.
 */

describe('on PostgreSQL', () => {
  let on: PowerDnsServers
  let server: Serving
  let resolver: DnsServer
  const world = new Map<string, DnsResponse>()
  const tokens: Record<'ada' | 'bob', string> = { ada: '', bob: '' }
  beforeAll(async () => {
    resolver = await startDnsServer(({ type, name }) => world.get(`${type} ${name}`) ?? { rcode: rcodes.nxdomain })
    on = await powerDnsServers('postgres')
    tokens.ada = await on.token('ada@example.com')
    tokens.bob = await on.token('bob@example.com')
    server = await on.serve({ SVC_RESOLVERS: resolver.address })
  })
  afterAll(async () => {
    await on[Symbol.asyncDispose]()
    await resolver.stop()
  })

  let zones = 0
  let zone: string
  beforeEach(async () => {
    zone = `corp${++zones}.com`
    await createInPowerDns(zone)
  })

  /** Creates a zone like an operator, with records of managed types and of an unmanaged one. */
  async function createInPowerDns(name: string, more: object = {}): Promise<void> {
    const body = { name: `${name}.`, kind: 'Native', nameservers: [`ns.${name}.`], soa_edit_api: 'DEFAULT', ...more }
    expect((await on.powerdns.call('POST', '/zones', body)).status).toBe(201)
    await setRRset(on.powerdns, name, `www.${name}`, 'A', '192.0.2.1', '192.0.2.2')
    await setRRset(on.powerdns, name, `six.${name}`, 'AAAA', '2001:db8::1')
    await setRRset(on.powerdns, name, name, 'MX', `10 Mail.${name}.`)
    await setRRset(on.powerdns, name, `txt.${name}`, 'TXT', '"one" "two"', '"Gr\\195\\188\\195\\159e"')
    await setRRset(on.powerdns, name, `_25._tcp.${name}`, 'SSHFP', `4 2 ${'0'.repeat(64)}`)
  }

  /** The settings, serial and RRsets of a zone in PowerDNS. */
  const everything = async (name = zone) => (await on.powerdns.call('GET', `/zones/${name}.`)).json
  const markOf = async (name = zone) => (await everything(name)) as { account: string; soa_edit_api: string }
  const api = (person: 'ada' | 'bob', method: string, path: string, body?: unknown) =>
    call(server, tokens[person], method, path, body)
  const claim = (person: 'ada' | 'bob', name = zone) => api(person, 'POST', '', { zone: name })
  const listed = async (person: 'ada' | 'bob', name = zone) => {
    const { body } = await api(person, 'GET', `/${name}/records`)
    const records = (body['data']?.records ?? []) as { type: string; host: string; value: string }[]
    return records.map(({ type, host, value }) => `${host} ${type} ${value}`).sort()
  }
  const adopted = () => [
    `@ MX mail.${zone}`,
    'six AAAA 2001:db8::1',
    'txt TXT Grüße',
    'txt TXT onetwo',
    'www A 192.0.2.1',
    'www A 192.0.2.2',
  ]
  const records = async (name = zone) => ((await on.held(name)) ?? []).filter((line) => !/ (NS|SOA) /.test(line))

  it('a claim on a zone of the operator is pending with a TXT challenge, and PowerDNS does not change', async () => {
    const before = await everything()
    on.gateway.requests.length = 0
    const { status, body } = await claim('ada')
    expect(status).toBe(200)
    expect(body['data']).toMatchObject({ status: 'pending', verification: { method: 'txt', verified: false } })
    expect(body['data'].verification.name).toBe(`_svcdns-verify.${zone}`)
    expect((await api('ada', 'POST', `/${zone}/records`, { type: 'A', host: 'www', value: '192.0.2.66' })).status).toBe(
      403,
    )
    expect((await api('ada', 'POST', `/${zone}/verify`)).body['data']).toMatchObject({ matched: false })
    expect((await api('ada', 'DELETE', `/${zone}`)).status).toBe(200)
    expect((await claim('bob')).body['data']).toMatchObject({ status: 'pending' })
    expect(on.gateway.requests.filter((request) => !request.startsWith('GET'))).toEqual([])
    expect(await everything()).toEqual(before)
  })

  it('a claim is pending for a zone marked by another installation of svc, and for a zone below one of the operator', async () => {
    await on.powerdns.call('PUT', `/zones/${zone}.`, { account: 'svc-another' })
    const reverse = `${zones}.198.in-addr.arpa`
    await on.powerdns.call('POST', '/zones', { name: `${reverse}.`, kind: 'Native', nameservers: ['ns.corp.com.'] })
    const before = [await everything(), await everything(reverse)]
    expect((await claim('ada')).body['data']).toMatchObject({ status: 'pending' })
    expect((await claim('ada', `7.${reverse}`)).body['data']).toMatchObject({ status: 'pending' })
    expect([await everything(), await everything(reverse)]).toEqual(before)
    expect(await on.held(`7.${reverse}`)).toBeUndefined()
  })

  it('a TXT record verifies the zone for the account with all its records, and svc marks it', async () => {
    const before = await records()
    const { verification } = (await claim('ada')).body['data']
    world.set(`TXT ${verification.name}`, {
      answers: [{ type: 'TXT', name: verification.name, data: verification.value, ttl: 60 }],
    })
    const { body } = await api('ada', 'POST', `/${zone}/verify`)
    expect(body['data']).toMatchObject({ status: 'verified', matched: true })
    expect(await listed('ada')).toEqual(adopted())
    expect(await records()).toEqual(before)
    expect((await markOf()).account).toMatch(/^svc-[0-9a-f]{16}$/)
    expect((await on.run('dns', 'sync', '--zone', zone)).stdout).toBe(
      `${zone}: left alone _25._tcp.${zone} SSHFP, of a type that svc does not manage\n`,
    )
    expect((await claim('bob')).body['data']).toMatchObject({ status: 'pending' })
  })

  it('502 upstream_error and no change for a TXT record in a zone whose records svc cannot represent', async () => {
    await setRRset(on.powerdns, zone, `odd.${zone}`, 'TXT', '"\\255"')
    const before = await everything()
    const { verification } = (await claim('ada')).body['data']
    world.set(`TXT ${verification.name}`, {
      answers: [{ type: 'TXT', name: verification.name, data: verification.value, ttl: 60 }],
    })
    const { status, body } = await api('ada', 'POST', `/${zone}/verify`)
    expect(status).toBe(502)
    expect(body).toMatchObject({ error: 'upstream_error', zone })
    expect(await everything()).toEqual(before)
    expect((await api('ada', 'GET', `/${zone}`)).body['data']).toMatchObject({ status: 'pending' })
  })

  it('svc dns adopt verifies the zone for an account with its records, once, and reports it', async () => {
    expect((await claim('bob')).body['data']).toMatchObject({ status: 'pending' })
    const [all, before] = [await everything(), await records()]
    const dry = await on.run('dns', 'adopt', zone, 'ada@example.com', '--dry-run')
    expect(dry.code, dry.stderr).toBe(0)
    expect(dry.stdout.split('\n')).toHaveLength(7)
    expect(dry.stdout).toContain('www\t300\tIN\tA\t192.0.2.2\n')
    expect(dry.stderr).toBe(
      `_25._tcp.${zone} SSHFP: of a type that svc does not manage, left alone\n` +
        `${zone} would be verified for ada@example.com, with 6 records. Nothing was changed.\n`,
    )
    expect(await everything()).toEqual(all)

    const done = await on.run('dns', 'adopt', zone, 'ada@example.com')
    expect(done.code, done.stderr).toBe(0)
    expect(done.stderr).toContain(`${zone} is verified for ada@example.com, with 6 records.\n`)
    expect(await listed('ada')).toEqual(adopted())
    expect(await records()).toEqual(before)
    expect(await markOf()).toMatchObject({ account: expect.stringMatching(/^svc-/), soa_edit_api: 'INCREASE' })
    expect((await on.held(zone))?.filter((line) => line.includes(' NS '))).toEqual(
      ['ns1', 'ns2'].map((name) => `${zone}. NS 3600 ${name}.svc.test.`),
    )
    expect(await on.run('dns', 'adopt', zone, 'ada@example.com')).toMatchObject({
      code: 0,
      stderr: `${zone} is already verified for ada@example.com.\n`,
    })
    expect(await on.run('dns', 'adopt', zone, 'bob@example.com')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is verified for ada@example.com: svc dns assign'),
    })
    const record = { type: 'A', host: 'new', value: '192.0.2.9', ttl: 300 }
    expect((await api('ada', 'POST', `/${zone}/records`, record)).status).toBe(200)
    expect(await records()).toContain(`new.${zone}. A 300 192.0.2.9`)
  })

  it('svc dns adopt names the records that svc cannot represent, and changes nothing', async () => {
    await setRRset(on.powerdns, zone, `odd.${zone}`, 'TXT', '"\\255"')
    await setRRset(on.powerdns, zone, `*.sub.${zone}`, 'NS', 'ns.elsewhere.example.')
    const before = await everything()
    const { code, stderr } = await on.run('dns', 'adopt', zone, 'ada@example.com')
    expect(code).toBe(1)
    expect(stderr).toContain(`odd.${zone} TXT `)
    expect(stderr).toContain(`*.sub.${zone} NS "ns.elsewhere.example": `)
    expect(stderr).toContain('nothing was changed.')
    expect(await everything()).toEqual(before)
    expect((await api('ada', 'GET', `/${zone}`)).status).toBe(403)
  })

  it('svc dns assign does not empty a zone of the operator', async () => {
    const before = await everything()
    const { code, stderr } = await on.run('dns', 'assign', zone, 'ada@example.com')
    expect(code).toBe(1)
    expect(stderr).toContain('svc dns adopt')
    expect(await everything()).toEqual(before)
  })

  it('svc dns adopt fails for a zone that PowerDNS does not have, and with the embedded nameserver', async () => {
    expect((await on.run('dns', 'adopt', 'nowhere.com', 'ada@example.com')).stderr).toContain(
      'The DNS provider has no zone nowhere.com',
    )
    expect((await on.run('dns', 'adopt', zone, 'ada@example.com', '--dns', 'embedded')).stderr).toContain(
      'there is nothing to adopt',
    )
  })

  it('svc marks the zones it creates, keeps them without the mark, and sync restores the mark', async () => {
    const own = `own${zones}.com`
    expect((await claim('ada', own)).body['data']).toMatchObject({ status: 'verified' })
    const { account } = await markOf(own)
    expect(account).toMatch(/^svc-[0-9a-f]{16}$/)
    await on.powerdns.call('PUT', `/zones/${own}.`, { account: '' })
    expect((await api('ada', 'DELETE', `/${own}`)).status).toBe(200)
    expect((await claim('ada', own)).body['data']).toMatchObject({ status: 'verified' })
    const dry = await on.run('dns', 'sync', '--zone', own, '--dry-run')
    expect(dry.stdout).toBe(`${own}: would mark the zone as this installation's\n`)
    expect((await on.run('dns', 'sync', '--zone', own)).stdout).toBe(`${own}: marked the zone as this installation's\n`)
    expect((await markOf(own)).account).toBe(account)
    expect((await on.run('dns', 'sync', '--zone', own)).stdout).toBe('')
  })

  it('svc dns sync does not change a zone marked by another installation, and svc dns adopt takes it over', async () => {
    const own = `own${zones}.com`
    await claim('ada', own)
    await on.powerdns.call('PUT', `/zones/${own}.`, { account: 'svc-another' })
    await setRRset(on.powerdns, own, `theirs.${own}`, 'A', '192.0.2.7')
    const before = await everything(own)
    const { code, stdout } = await on.run('dns', 'sync', '--zone', own)
    expect(code).toBe(1)
    expect(stdout).toContain("failed: The DNS provider failed: the zone is marked as another installation's.")
    expect(await everything(own)).toEqual(before)
    expect((await on.run('dns', 'adopt', own, 'ada@example.com')).code).toBe(0)
    expect((await on.run('dns', 'sync', '--zone', own)).code).toBe(0)
    expect(await records(own)).toEqual([])
  })

  it('the next claim reuses and resets a zone that a failed commit left in PowerDNS', async () => {
    const [own, orphan] = [`own${zones}.com`, `orphan${zones}.com`]
    await claim('ada', own)
    await createInPowerDns(orphan, { account: (await markOf(own)).account })
    expect((await claim('ada', orphan)).body['data']).toMatchObject({ status: 'verified' })
    expect(await listed('ada', orphan)).toEqual([])
    expect(await records(orphan)).toEqual([`_25._tcp.${orphan}. SSHFP 300 4 2 ${'0'.repeat(64)}`])
  })
})
