import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { runSql } from '../../server/test/site.js'
import { emptyPlace, svc } from './svc.js'

// Commands load the whole of svc.
vi.setConfig({ testTimeout: 60_000 })

it('tls list and tls renew without certificates', async () => {
  await using place = await emptyPlace()
  await svc(['user', 'add', 'ada@example.com'], place)
  expect(await svc(['tls', 'list'], place)).toEqual({
    code: 0,
    stdout: '',
    stderr: 'svc orders no certificates: SVC_ACME=on starts it.\n',
  })
  expect(await svc(['tls', 'list', '--json'], place)).toEqual({
    code: 0,
    stdout: '{\n  "certificates": []\n}\n',
    stderr: '',
  })
  expect(await svc(['tls', 'renew', 'example.com'], place)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'svc: No certificate has the name "example.com": svc tls list shows the names.\n',
  })
})

it('tls list shows the last error and the next attempt, and tls renew makes the certificate due', async () => {
  await using place = await emptyPlace()
  await svc(['user', 'add', 'ada@example.com'], place)
  const database = { kind: 'sqlite', file: join(place.cwd, 'data', 'svc.db') } as const
  await runSql(
    database,
    `insert into certificate (names, next_at, failures, error)
      values ('["*.example.net","example.net"]', 4102444800000, 3, 'The CA limits the requests: too many.')`,
  )
  const { stdout } = await svc(['tls', 'list'], place)
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['NAMES', 'STATUS', 'ISSUER', 'NOT AFTER', 'NEXT ATTEMPT', 'ERROR'],
    [
      '*.example.net example.net',
      'missing',
      '-',
      '-',
      '2100-01-01T00:00:00.000Z',
      'The CA limits the requests: too many.',
    ],
    [''],
  ])
  expect(await svc(['tls', 'renew', 'Example.NET'], place)).toEqual({
    code: 0,
    stdout: '',
    stderr:
      'The running server orders the certificate for *.example.net and example.net within seconds; svc tls list shows the outcome.\n',
  })
  const [row] = await runSql(database, 'select next_at from certificate')
  expect(Number(row!['next_at'])).toBeLessThanOrEqual(Date.now())
})
