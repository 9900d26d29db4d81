import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { runSql } from '../../server/test/site.js'
import { testAuthority } from '../../server/test/test-authority.js'
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

it('tls list shows the certificates in files, and those that cannot be used', async () => {
  await using place = await emptyPlace()
  await svc(['user', 'add', 'ada@example.com'], place)
  const authority = testAuthority()
  const { chain, key } = authority.issue(['api.example.com', '*.example.net'])
  const { chain: keyless } = authority.issue(['keyless.example'])
  authority.remove()
  const folder = join(place.cwd, 'tls')
  await mkdir(folder)
  await writeFile(join(folder, 'a.pem'), chain + key)
  await writeFile(join(folder, 'b.crt'), keyless)
  // Without SVC_PUBLIC_URL and SVC_TLS_PORT, which the list does not need.
  const { code, stderr } = await svc(['tls', 'list', '--tls-cert', folder], place)
  expect({ code, lines: stderr.split('\n') }).toEqual({
    code: 0,
    lines: [
      'svc orders no certificates: SVC_ACME=on starts it.',
      `The certificates of SVC_TLS_CERT, ${folder}, are served first:`,
      expect.stringMatching(/^ {2}api\.example\.com \*\.example\.net: issued by Test Authority, until 20\S+Z$/),
      expect.stringContaining(`  ${join(folder, 'b.crt')}: No private key fits its certificate`),
      '',
    ],
  })
  const { stdout } = await svc(['tls', 'list', '--json', '--tls-cert', folder], place)
  const ofFile = { account: null, renew_at: null, next_attempt: null }
  expect(JSON.parse(stdout)).toEqual({
    certificates: [
      {
        ...ofFile,
        file: join(folder, 'a.pem'),
        names: ['api.example.com', '*.example.net'],
        issuer: 'Test Authority',
        not_after: expect.stringMatching(/^20\S+Z$/),
        status: 'issued',
        error: null,
      },
      {
        ...ofFile,
        file: join(folder, 'b.crt'),
        names: [],
        issuer: null,
        not_after: null,
        status: 'failed',
        error: expect.stringContaining('No private key fits its certificate'),
      },
    ],
  })
})

it('tls list shows the account, the last error and the next attempt, and tls renew makes the certificate due', async () => {
  await using place = await emptyPlace()
  await svc(['user', 'add', 'ada@example.com'], place)
  const database = { kind: 'sqlite', file: join(place.cwd, 'data', 'svc.db') } as const
  await runSql(
    database,
    `insert into certificate (names, next_at, failures, failing_since, error)
      values ('["*.example.net","example.net"]', 4102444800000, 3, 1795000000000, 'The CA limits the requests: too many.')`,
  )
  await runSql(
    database,
    `insert into certificate (account_id, zone, site, names, next_at, failures)
      values (1, 'example.com', 'blog', '["www.example.com"]', 4102444800000, 0)`,
  )
  const { stdout } = await svc(['tls', 'list'], place)
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['NAMES', 'ACCOUNT', 'STATUS', 'ISSUER', 'NOT AFTER', 'NEXT ATTEMPT', 'ERROR'],
    [
      '*.example.net example.net',
      '-',
      'failed',
      '-',
      '-',
      '2100-01-01T00:00:00.000Z',
      'The CA limits the requests: too many.',
    ],
    ['www.example.com', 'ada@example.com', 'waiting', '-', '-', '2100-01-01T00:00:00.000Z', '-'],
    [''],
  ])
  await runSql(database, `update certificate set leased_until = ${String(Date.now() + 600_000)} where site = 'blog'`)
  const listed = JSON.parse((await svc(['tls', 'list', '--json'], place)).stdout) as { certificates: object[] }
  expect(listed.certificates).toMatchObject([
    { account: null, file: null, status: 'failed' },
    { account: 'ada@example.com', file: null, status: 'ordering' },
  ])
  expect(await svc(['tls', 'renew', 'Example.NET'], place)).toEqual({
    code: 0,
    stdout: '',
    stderr:
      'The running server orders the certificate for *.example.net and example.net within seconds; svc tls list shows the outcome.\n',
  })
  expect((await svc(['tls', 'renew', 'api.example.net'], place)).stderr).toBe(
    'svc: "api.example.net" is covered by the certificate for *.example.net and example.net: svc tls renew example.net renews it.\n',
  )
  expect((await svc(['tls', 'renew', 'deep.api.example.net'], place)).stderr).toMatch(/No certificate has the name/)
  const [row] = await runSql(database, 'select next_at from certificate')
  expect(Number(row!['next_at'])).toBeLessThanOrEqual(Date.now())
})

it('tls import stores a certificate that svc wants, and refuses others by the file and the names', async () => {
  await using place = await emptyPlace()
  const authority = testAuthority()
  const names = ['*.example.net', 'example.net']
  const good = authority.issue([...names, 'more.example'])
  const [other, old] = [authority.issue(['other.example']), authority.issue(names, { days: -1 })]
  authority.remove()
  const files = {
    'chain.pem': good.chain,
    'key.pem': good.key,
    'other.pem': other.chain,
    'other.key': other.key,
    'old.pem': old.chain,
    'old.key': old.key,
    'order.pem': good.certificate + other.certificate,
    'locked.key': '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n',
    'empty.pem': '',
  }
  for (const [file, text] of Object.entries(files)) await writeFile(join(place.cwd, file), text)
  const run = (cert: string, key: string, ...more: string[]) =>
    svc(['tls', 'import', '--cert', cert, '--key', key, ...more], place)
  const refusal = async (cert: string, key: string, ...more: string[]) => {
    const { code, stderr } = await run(cert, key, ...more)
    expect({ code, stderr }).toMatchObject({ code: 1 })
    return stderr
  }
  await svc(['user', 'add', 'ada@example.com'], place)
  expect(await refusal('chain.pem', 'key.pem')).toMatch(/^svc: svc wants no certificates: SVC_ACME=on starts it/)
  const database = { kind: 'sqlite', file: join(place.cwd, 'data', 'svc.db') } as const
  await runSql(
    database,
    `insert into certificate (names, next_at, failures, error) values ('${JSON.stringify(names)}', 4102444800000, 3, 'It failed.'),
      ('["api.example.org"]', 4102444800000, 0, null)`,
  )
  expect(await refusal('missing.pem', 'key.pem')).toMatch(/^svc: missing\.pem: .*\n$/)
  expect(await refusal('empty.pem', 'key.pem')).toBe('svc: empty.pem: It has no certificate in PEM.\n')
  expect(await refusal('chain.pem', 'empty.pem')).toBe('svc: empty.pem: It has no private key in PEM.\n')
  expect(await refusal('chain.pem', 'locked.key')).toMatch(/^svc: locked\.key: Its private key is encrypted/)
  expect(await refusal('chain.pem', 'other.key')).toBe(
    'svc: other.key: The private key does not fit the certificate in chain.pem.\n',
  )
  expect(await refusal('order.pem', 'key.pem')).toMatch(/^svc: order\.pem: Certificate 2 of the chain did not issue/)
  expect(await refusal('old.pem', 'old.key')).toMatch(
    /^svc: old\.pem: The certificate has expired on 20\d\d-\d\d-\d\d\.\n$/,
  )
  expect(await refusal('other.pem', 'other.key')).toBe(
    'svc: other.pem: The certificate is for other.example. svc wants certificates for *.example.net and example.net; api.example.org. It must have all names of one.\n',
  )
  expect(await refusal('chain.pem', 'key.pem', 'nothing.example')).toMatch(
    /^svc: svc wants no certificate with the name "nothing\.example"\. svc wants certificates for /,
  )
  expect(await refusal('chain.pem', 'key.pem', 'api.example.org')).toMatch(
    /svc wants certificates for api\.example\.org\./,
  )

  // The key of an account's certificate can be downloaded.
  await runSql(
    database,
    `insert into certificate (account_id, zone, names, next_at, failures)
      values (1, 'more.example', '["more.example"]', 4102444800000, 0)`,
  )
  expect(await refusal('chain.pem', 'key.pem', 'more.example')).toMatch(
    /svc wants certificates for more\.example\. That of an account must have no other names\.\n$/,
  )
  await runSql(database, 'delete from certificate where account_id = 1')

  expect(await run('chain.pem', 'key.pem', 'Example.net')).toEqual({
    code: 0,
    stdout: '',
    stderr: expect.stringMatching(
      /^Imported for \*\.example\.net and example\.net: valid until 20\S+Z, to be renewed at 20\S+Z\.\n$/,
    ),
  })
  const { certificates } = JSON.parse((await svc(['tls', 'list', '--json'], place)).stdout) as {
    certificates: unknown[]
  }
  expect(certificates).toMatchObject([
    { names, issuer: 'Test Authority', status: 'issued', error: null },
    { names: ['api.example.org'], status: 'waiting' },
  ])
  const [row] = await runSql(database, 'select chain, sealed from certificate order by id')
  expect(row!['chain']).toBe(good.chain)
  expect(Buffer.from(row!['sealed'] as Buffer).toString('latin1')).not.toContain('PRIVATE KEY')
})
