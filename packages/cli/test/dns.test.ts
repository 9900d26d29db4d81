import { expect, it, vi } from 'vitest'
import { migratedPostgres } from '../../server/test/migrated-database.js'
import { rcodes, startDnsServer } from '../../server/test/dns-server.js'
import { serveIn } from './serving.js'
import { emptyPlace, svc, type Place } from './svc.js'

// Commands load the whole of svc, and some start a process.
vi.setConfig({ testTimeout: 60_000 })

it.each(['sqlite', 'postgres'])(
  'a legacy claim that is created beside a running server on %s is verified by the live NS answers',
  async (kind) => {
    await using place = await emptyPlace()
    const nameservers = ['ns1.svc.example', 'ns2.svc.example']
    const resolver = await startDnsServer(({ type, name }) =>
      type === 'NS' && name === 'moved.com'
        ? { answers: nameservers.map((data) => ({ type, name, data, ttl: 60 })) }
        : { rcode: rcodes.nxdomain },
    )
    const env = {
      SVC_NAMESERVERS: nameservers.join(','),
      SVC_RESOLVERS: resolver.address,
      ...(kind === 'postgres' ? { SVC_DATABASE: await migratedPostgres() } : {}),
    }
    const here: Place = { ...place, env }
    await svc(['user', 'add', 'ada@example.com'], here)
    const { stdout } = await svc(['token', 'add', 'ada@example.com', '--name', 'ci', '--scope', 'dns:write'], here)
    await using server = await serveIn(here)
    const call = async (method: string, path: string) => {
      const headers = { authorization: `Bearer ${stdout.trim()}` }
      const answer = await fetch(`${server.url}/v1/dns/zones/moved.com${path}`, { method, headers })
      return ((await answer.json()) as { data: unknown }).data
    }

    expect(await svc(['dns', 'claim-legacy', 'ada@example.com', 'Moved.com.'], here)).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'Claimed moved.com, pending: the account can verify it once its registrar delegates it to the names in SVC_NAMESERVERS.\n',
    })
    expect(await call('GET', '')).toEqual({
      zone: 'moved.com',
      status: 'pending',
      verification: { verify_method: 'ns', verified: false, expected_ns: nameservers },
    })
    expect(await call('POST', '/verify')).toEqual({
      zone: 'moved.com',
      status: 'verified',
      matched: true,
      verified: true,
    })
    await server.stop()
    await resolver.stop()
  },
)

it('an invalid claim ends with one sentence', async () => {
  await using place = await emptyPlace()
  const claim = (email: string, zone: string) => svc(['dns', 'claim-legacy', email, zone], place)
  for (const email of ['ada@example.com', 'bob@example.com']) await svc(['user', 'add', email], place)
  await claim('ada@example.com', 'example.com')
  const refusal = (code: number, stderr: RegExp) => ({ code, stdout: '', stderr: expect.stringMatching(stderr) })
  expect(await claim('ada@example.com', 'example.com')).toEqual(
    refusal(1, /^svc: example\.com has a pending claim of this account\.\n$/),
  )
  expect(await claim('ada@example.com', 'www.example.com')).toEqual(
    refusal(2, /^svc: ZONE must be the apex domain example\.com, not its subdomain "www\.example\.com"\.\n$/),
  )
  expect(await claim('eve@example.com', 'example.com')).toEqual(refusal(1, /^svc: There is no account eve@example/))
  expect(await claim('bob@example.com', 'example.com')).toMatchObject({ code: 0 })
})
