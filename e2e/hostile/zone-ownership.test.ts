import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freePort, freshPostgres } from '../../test/servers/index.js'
import { emptyPlace, svc, svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import { ask } from '../../packages/server/test/dns-ask.js'
import { rcodes, startDnsServer, type DnsServer } from '../../packages/server/test/dns-server.js'
import { accountToken } from '../account-token.js'

/** The ownership of zones, with a real server and the operator's commands beside it. */

const nameservers = ['ns1.provider.example', 'ns2.provider.example']
const people = ['ada', 'bob'] as const
type Person = (typeof people)[number]

describe.each(['sqlite', 'postgres'])('zone ownership on %s', (kind) => {
  let home: Awaited<ReturnType<typeof emptyPlace>>
  let place: Place
  let server: Serving & AsyncDisposable
  let world: DnsServer
  let dnsPort: number
  const tokens = {} as Record<Person, string>
  const challenges = new Map<string, string>()

  beforeAll(async () => {
    home = await emptyPlace()
    world = await startDnsServer(({ type, name }) => {
      const data = challenges.get(name)
      return type === 'TXT' && data !== undefined
        ? { answers: [{ type, name, data, ttl: 60 }] }
        : { rcode: rcodes.nxdomain }
    })
    dnsPort = await freePort()
    place = {
      ...home,
      env: {
        SVC_NAMESERVERS: nameservers.join(','),
        SVC_RESOLVERS: world.address,
        SVC_PUBLIC_URL: 'https://api.console.example',
        SVC_SITES_DOMAIN: 'sites.example.org',
        SVC_DNS_PORT: String(dnsPort),
        SVC_LOG_LEVEL: 'info',
        ...(kind === 'postgres' ? { SVC_DATABASE: await freshPostgres() } : {}),
      },
    }
    for (const person of people) {
      tokens[person] = await accountToken(place, `${person}@example.com`, 'dns:write')
    }
    server = await svcServe(place)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await world.stop()
    await home[Symbol.asyncDispose]()
  })

  async function call(person: Person, method: string, path: string, body?: unknown) {
    const response = await fetch(`${server.url}/v1/dns/zones${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens[person]}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { data } = (await response.json()) as { data: Record<string, unknown> }
    return { status: response.status, data }
  }
  const claim = (person: Person, zone: string) => call(person, 'POST', '', { zone })
  const hosts = async (person: Person, zone: string) =>
    ((await call(person, 'GET', `/${zone}/records`)).data['records'] as { host: string }[]).map(({ host }) => host)
  const served = async (name: string) => (await ask(dnsPort, name, 'A')).answers.map(({ value }) => value)
  const serial = async (zone: string) => Number((await ask(dnsPort, zone, 'SOA')).answers[0]?.value.split(' ')[2])

  it('a released zone is empty for the next account, and its former owner gets the records back', async () => {
    const zone = 'handed.com'
    await claim('ada', zone)
    await call('ada', 'POST', `/${zone}/records`, { type: 'A', host: 'www', value: '192.0.2.1' })
    const first = await serial(zone)
    await call('ada', 'DELETE', `/${zone}`)
    expect(await served(`www.${zone}`)).toEqual(['192.0.2.1'])

    expect((await claim('bob', zone)).data['status']).toBe('verified')
    expect(await served(`www.${zone}`)).toEqual([])
    expect(await hosts('bob', zone)).toEqual([])
    for (const [method, body] of [['GET'], ['PATCH', { ttl: 60 }], ['DELETE']] as const)
      expect((await call('bob', method, `/${zone}/records/1`, body)).status).toBe(404)
    const second = await serial(zone)
    expect(second).toBeGreaterThan(first)

    // The former owner proves control.
    const { verification } = (await claim('ada', zone)).data as { verification: { name: string; value: string } }
    challenges.set(verification.name, verification.value)
    expect((await call('ada', 'POST', `/${zone}/verify`)).data).toMatchObject({ matched: true })
    expect(await hosts('ada', zone)).toEqual(['www'])
    expect(await served(`www.${zone}`)).toEqual(['192.0.2.1'])
    expect(await serial(zone)).toBeGreaterThan(second)
    expect((await call('bob', 'GET', `/${zone}/records`)).status).toBe(403)
  })

  it('a restarted server serves the records of the same account', async () => {
    const zone = 'restarted.com'
    await claim('ada', zone)
    await call('ada', 'POST', `/${zone}/records`, { type: 'A', host: 'www', value: '192.0.2.1' })
    await call('ada', 'DELETE', `/${zone}`)
    await claim('bob', zone)
    await call('bob', 'POST', `/${zone}/records`, { type: 'A', host: 'api', value: '192.0.2.2' })
    await call('bob', 'DELETE', `/${zone}`)
    await server.stop()
    server = await svcServe(place)
    expect(await served(`www.${zone}`)).toEqual([])
    expect(await served(`api.${zone}`)).toEqual(['192.0.2.2'])
  })

  it('claims on the server’s own names are pending for every account', async () => {
    for (const zone of ['provider.example', 'console.example', 'example.org', 'shop.sites.example.org'])
      for (const person of people) {
        const { status, data } = await claim(person, zone)
        // The last zone is not an apex, because the sites domain is not a public suffix.
        if (zone.startsWith('shop')) expect(status).toBe(400)
        else expect(data).toMatchObject({ status: 'pending', verification: { method: 'txt' } })
      }
    expect((await ask(dnsPort, nameservers[0]!, 'A')).rcode).toBe('REFUSED')
  })

  it('a reserved zone stays pending until the operator assigns it, and a running server serves the change', async () => {
    const reserve = (...args: string[]) => svc(['dns', 'reserve', ...args], place)
    expect((await reserve('Reserved.com')).stderr).toBe('reserved.com is reserved.\n')
    expect((await reserve('reserved.com')).stderr).toBe('reserved.com was already reserved.\n')
    expect((await reserve()).stdout.split('\n').map((line) => line.replace(/ +/g, ' ').trim())).toEqual([
      'zone reserved by',
      'provider.example SVC_NAMESERVERS',
      'console.example SVC_PUBLIC_URL',
      'example.org SVC_SITES_DOMAIN',
      'reserved.com svc dns reserve',
      '',
    ])
    for (const person of people) expect((await claim(person, 'reserved.com')).data['status']).toBe('pending')
    const legacy = await svc(['dns', 'claim-legacy', 'ada@example.com', 'provider.example'], place)
    expect(legacy).toMatchObject({ code: 1, stderr: expect.stringContaining('svc dns assign') as string })

    const assign = (person: Person) => svc(['dns', 'assign', 'reserved.com', `${person}@example.com`], place)
    expect(await assign('ada')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('is verified for ada') as string,
    })
    await call('ada', 'POST', '/reserved.com/records', { type: 'A', host: 'www', value: '192.0.2.1' })
    expect(await served('www.reserved.com')).toEqual(['192.0.2.1'])
    expect((await assign('ada')).stderr).toContain('already')
    expect((await assign('bob')).code).toBe(0)
    expect((await call('ada', 'GET', '/reserved.com/records')).status).toBe(403)
    expect(await hosts('bob', 'reserved.com')).toEqual([])
    await vi.waitFor(async () => expect(await served('www.reserved.com')).toEqual([]), { timeout: 5000, interval: 50 })
    expect((await reserve('reserved.com')).stderr).toContain('It stays verified for bob@example.com')
    expect((await reserve('reserved.com', '--remove')).stderr).toBe('reserved.com is no longer reserved.\n')
    expect((await reserve('reserved.com', '--remove')).stderr).toBe('reserved.com was not reserved.\n')
  })

  it('40 parallel writes of the former owner during a verification leave no record', async () => {
    const zone = 'raced.com'
    await claim('ada', zone)
    const { verification } = (await claim('bob', zone)).data as { verification: { name: string; value: string } }
    challenges.set(verification.name, verification.value)
    const write = (host: string) =>
      call('ada', 'POST', `/${zone}/records`, { type: 'A', host, value: '192.0.2.1' }).then(({ status }) => status)
    const writes = Array.from({ length: 40 }, (_, i) => write(`h${i}`))
    expect((await call('bob', 'POST', `/${zone}/verify`)).data).toMatchObject({ matched: true })
    expect(await write('late')).toBe(403)
    for (const status of await Promise.all(writes)) expect([200, 403]).toContain(status)
    expect(await hosts('bob', zone)).toEqual([])
    await sleep(600)
    const left = await Promise.all(writes.map((_, i) => served(`h${i}.${zone}`)))
    expect(left.flat()).toEqual([])
  })
})
