import { expect, it, vi } from 'vitest'
import { join } from 'node:path'
import { startPowerDns } from '../../../test/servers/index.js'
import { providerCheck } from '../../server/src/commands/doctor/provider.js'
import { inspectDatabase } from '../../server/src/db/connect.js'
import { findingsOf } from '../../server/test/findings.js'
import { serveIn } from './serving.js'
import { emptyPlace, svc, svcProcess, type Place } from './svc.js'

// Commands load the whole of svc, and some start a process.
vi.setConfig({ testTimeout: 60_000 })

it('svc dns sync lists the differences at the provider, repairs them, and lists the repairs', async () => {
  await using place = await emptyPlace()
  const powerdns = await startPowerDns()
  const env = {
    SVC_DNS: `powerdns+${powerdns.url}`,
    SVC_POWERDNS_KEY: powerdns.key,
    SVC_NAMESERVERS: 'ns1.svc.example,ns2.svc.example',
  }
  const here: Place = { ...place, env }
  const email = 'ada@example.com'
  await svc(['user', 'add', email], here)
  const token = (await svc(['token', 'add', email, '--name', 'ci', '--scope', 'dns:write'], here)).stdout.trim()
  await using server = await serveIn(here)
  const call = async (path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${server.url}/v1/dns/zones${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(200)
  }
  await call('', { zone: 'moved.com' })
  await call('/moved.com/records', { type: 'A', host: 'www', value: '192.0.2.1' })
  const sync = (...flags: string[]) => svc(['dns', 'sync', ...flags], here)

  const doctor = async () => {
    const database = await inspectDatabase({ kind: 'sqlite', file: join(place.cwd, 'data', 'svc.db') }, () => undefined)
    const findings = await findingsOf(providerCheck, env, database)
    await database.close()
    return findings
  }

  expect(await sync()).toEqual({ code: 0, stdout: '', stderr: '1 zone: 1 in sync.\n' })
  expect(await doctor()).toEqual([
    expect.stringMatching(/^ok PowerDNS at .* answers, version [\d.]+, and accepts the key\.$/),
    'ok PowerDNS has all records of 1 zone.',
  ])

  await powerdns.call('DELETE', '/zones/moved.com.')
  await powerdns.call('POST', '/zones', { name: 'other.org.', kind: 'Native', nameservers: ['ns.other.org.'] })
  expect((await doctor())[1]).toBe('error PowerDNS does not serve 1 zone as the database has it.')
  const sets = ['moved.com SOA', 'moved.com NS', 'www.moved.com A']
  const said = (create: string, add: string) =>
    [`${create} the zone`, ...sets.map((set) => `${add} ${set}`)].map((line) => `moved.com: ${line}\n`).join('') +
    'other.org: only the provider has it; left alone\n'
  expect(await sync('--dry-run')).toEqual({
    code: 0,
    stdout: said('would create', 'would add'),
    stderr: '1 zone: 0 in sync, 1 drifted.\n',
  })
  expect(await sync()).toEqual({
    code: 0,
    stdout: said('created', 'added'),
    stderr: '1 zone: 0 in sync, 1 repaired.\n',
  })
  expect(JSON.parse((await sync('--json')).stdout)).toEqual({
    dry_run: false,
    zones: [
      {
        zone: 'moved.com',
        outcome: 'in_sync',
        missing: false,
        mark: 'own',
        differences: [],
        keeps_serial: false,
        unmanaged: [],
        problem: null,
      },
    ],
    strangers: ['other.org'],
  })

  expect(await sync('--zone', 'nobody.com')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'svc: There is no zone nobody.com: no account has verified it yet.\n',
  })
  await powerdns.stop()
  // As a process: the log goes to stderr too.
  const down = await svcProcess(['dns', 'sync'], here)
  expect(down.code).toBe(1)
  expect(down.stderr).toContain('svc: The DNS provider failed: it cannot be reached.\n')
  expect(await sync('--dns', 'embedded')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'The embedded nameserver reads the database: nothing to sync.\n',
  })
})
