import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { areaOf, commandOf, areaNames, operations } from '@svc/contract'
import { startApp, type TestApp } from '../../server/test/app.js'
import { svc as run, svcProcess } from './svc.js'

// Commands load the whole of svc, and some start a process.
vi.setConfig({ testTimeout: 60_000 })

let server: TestApp
let token: string
let cwd: string
beforeAll(async () => {
  server = await startApp()
  token = await server.token(await server.account('ada@example.com'), 'account:write')
  cwd = await mkdtemp(join(tmpdir(), 'svc-api-'))
})
afterAll(() => Promise.all([server.stop(), rm(cwd, { recursive: true })]))

const svc = (args: readonly string[], env: Record<string, string> = {}, stdin = '') =>
  run(['api', ...args], { cwd, env: { SVC_URL: server.url, SVC_TOKEN: token, ...env } }, stdin)

describe('help', () => {
  it('lists the areas, and the operations of an area', async () => {
    const { code, stdout } = await svc([])
    expect(code).toBe(0)
    const commands = stdout.slice(stdout.indexOf('\nCommands:\n'))
    const listed = [...commands.matchAll(/^ {2}([a-z]+) /gm)].map(([, area]) => area)
    expect(listed.toSorted()).toEqual([...areaNames].toSorted())

    const dns = await svc(['dns'])
    expect(dns.code).toBe(0)
    for (const op of operations.filter((op) => areaOf(op) === 'dns'))
      expect(dns.stdout).toMatch(new RegExp(`^ {2}${commandOf(op)} +${op.summary.slice(0, 20)}`, 'm'))
  })

  it('the help of an operation shows its flags and its example, and no values from the environment', async () => {
    const { code, stdout } = await svc(['dns', 'record-create', '--help'])
    const help = stdout.replace(/\s+/g, ' ')
    expect(code).toBe(0)
    expect(help).toContain('Usage: svc api dns record-create')
    expect(help).toContain('POST /v1/dns/zones/{zone}/records (dns:write)')
    expect(help).toContain('--zone <text> Apex domain of the zone (required)')
    expect(help).toContain('(required; one of A, AAAA, CNAME, MX, TXT, NS, SRV, CAA, PTR, SPF)')
    expect(help).toContain('--ttl <integer> Seconds, 60 to 2592000; records of one type and host share it')
    expect(help).toContain(
      'Example: svc api dns record-create --zone example.com --type A --host www --value 192.0.2.1 --ttl 3600',
    )
    expect(help).not.toContain(token)
  })
})

describe('a call', () => {
  it('prints data as JSON', async () => {
    const { code, stdout, stderr } = await svc(['account', 'me'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toHaveProperty('user.email', 'ada@example.com')
    expect(stdout).toMatch(/^\{\n {2}"user": \{\n/)
  })

  it('prints the whole envelope with --raw', async () => {
    const { stdout } = await svc(['public', 'hash', '--value=--x', '--algo', 'md5', '--raw'])
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { length: 3 }, request_id: /^req_/ })
  })

  it('prints documents unchanged', async () => {
    const { text } = await server.call('GET', '/llms.txt')
    expect((await svc(['catalogue', 'llms'])).stdout).toBe(text)
  })

  it('flags override the environment; an empty variable counts as unset', async () => {
    expect((await svc(['public', 'time', '--url', server.url], { SVC_URL: 'http://127.0.0.1:1' })).code).toBe(0)
    expect(await svc(['account', 'me'], { SVC_TOKEN: '' })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^unauthorized: /),
    })
    expect((await svc(['account', 'me', '--token', token], { SVC_TOKEN: '' })).code).toBe(0)
  })

  it('reads the body from stdin or a file; flags override its fields', async () => {
    const body = JSON.stringify({ field: 'nickname', value: 'Ada' })
    const fromStdin = await svc(['account', 'profile-update', '--body', '-'], {}, body)
    expect(JSON.parse(fromStdin.stdout)).toEqual({ value: 'Ada' })

    await writeFile(join(cwd, 'body.json'), body)
    const fromFile = await svc(['account', 'profile-update', '--body', 'body.json', '--value', 'Grace'])
    expect(JSON.parse(fromFile.stdout)).toEqual({ value: 'Grace' })
  })

  it('loads no code of the server except its settings', async () => {
    const coverage = join(cwd, 'coverage')
    const env = { SVC_URL: server.url, SVC_TOKEN: token, NODE_V8_COVERAGE: coverage }
    await svcProcess(['api', 'public', 'time'], { cwd, env })
    const [file] = await readdir(coverage)
    const { result } = JSON.parse(await readFile(join(coverage, file ?? ''), 'utf8'))
    const files = (result as { url: string }[]).flatMap(({ url }) =>
      url.startsWith('file:') ? fileURLToPath(url) : [],
    )
    // The files of the bundle name the modules that they contain.
    const texts = await Promise.all(files.map((path) => readFile(path, 'utf8')))
    const loaded = texts.flatMap((text) => text.match(/^\/\/ .*\.js$/gm) ?? [])
    expect(loaded.filter((name) => name.endsWith('cli/dist/api-tree.js'))).toHaveLength(1)
    expect(
      loaded.filter((name) => /\/server\/dist\/(main|app|areas|http|db|ports)\b|\/(fastify|pino)\//.test(name)),
    ).toEqual([])
  })
})

describe('an error of the server', () => {
  it('is one line on stderr, with exit code 1', async () => {
    const refused = await svc(['dns', 'zone-list'])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(
      /^forbidden_scope: The token has only account:write; this operation needs dns:read or dns:write\. On the server, svc token add EMAIL --name NAME --scope dns:read creates one\. \(req_[0-9a-f]{16}\)\n$/,
    )
  })

  it.each([
    [{ SVC_TOKEN: '' }, 'This operation needs a token: set SVC_TOKEN or pass --token.'],
    [{ SVC_TOKEN: 'svc_0' }, 'The token is unknown or revoked: set SVC_TOKEN or pass --token with a valid one.'],
  ])('401 with %j says where the token comes from, and how to create one', async (env, problem) => {
    const { code, stderr } = await svc(['account', 'session-list'], env)
    expect(code).toBe(1)
    const hint = 'On the server, svc token add EMAIL --name NAME --scope account:read creates one.'
    expect(stderr.replace(/ \(req_.*/, '')).toBe(`unauthorized: ${problem} ${hint}\n`)
  })

  it('names the flag of a field; a field of --body keeps its name', async () => {
    const long = 'x'.repeat(65)
    const byFlag = await svc(['account', 'profile-update', '--field', 'nickname', '--value', long])
    expect(byFlag.stderr).toMatch(/^bad_request: --value must have at most 64 characters, not 65\. \(req_/)
    const body = JSON.stringify({ field: 'nickname', value: long })
    const byBody = await svc(['account', 'profile-update', '--body', '-'], {}, body)
    expect(byBody.stderr).toMatch(/^bad_request: value must have at most 64/)
  })

  it('404 of a base URL that ends with /v1 names the mistake', async () => {
    const { stderr } = await svc(['account', 'me', '--url', `${server.url}/v1/`])
    expect(stderr).toMatch(/^not_found: .* SVC_URL and --url are the address without \/v1\. \(req_/)
  })

  it('names the unknown field', async () => {
    const body = '{"field":"nickname","value":"Ada","valeu":1}'
    const { code, stderr } = await svc(['account', 'profile-update', '--body', '-'], {}, body)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^bad_request: valeu .+ \(req_/)
  })

  it('an error is printed as an envelope with --raw', async () => {
    const { code, stdout, stderr } = await svc(['account', 'session-revoke', '--id', '99', '--raw'])
    expect(JSON.parse(stdout)).toMatchObject({ success: false, error: 'not_found' })
    expect(stderr).toMatch(/^not_found: /)
    expect(code).toBe(1)
  })
})

describe('wrong usage', () => {
  it.each([
    [['nowhere'], 'unknown area "nowhere"'],
    [['dns', 'nothing'], 'unknown operation "nothing"'],
    [
      ['dns', 'recordCreate', '--zone', 'example.com'],
      'unknown operation "recordCreate": use svc api dns record-create\n',
    ],
    [['dns', 'record-create', '--hots', 'www'], 'Did you mean --host?'],
    [['--url', 'http://h', 'account', 'me'], "unknown option '--url': the flags of an operation stand behind it"],
    [['dns', 'record-create', '--zone', 'example.com'], 'missing --type, --value'],
    [['dns', 'record-create', '--type', 'B'], 'It must be one of A, AAAA'],
    [['dns', 'record-create', '--ttl', '1.5'], 'It must be an integer'],
    [['dns', 'zone-get', '--zone', '..'], 'error: --zone is part of the path'],
    [['cdn', 'config', '--serving', 'maybe'], 'It must be true or false'],
    [['packages', 'publish', '--artifacts', '{'], 'It must be JSON'],
    [['account', 'me', '--nope'], "unknown option '--nope'"],
    [['account', 'me', '--timeout', '0'], 'above 0'],
    [['account', 'me', '--url', 'localhost:8080'], 'It must begin with http:// or https://'],
    [['account', 'me', '--url', 'http://h?x=1'], "--url is 'http://h?***'. It must not have a query"],
    [['account', 'profile-update', '--field', 'nickname', '--value', 'a\ufffdb'], 'not UTF-8, or contains U+FFFD'],
    [['account', 'profile-update', '--body', '-'], '--body must be a JSON object'],
    [['account', 'profile-update', '--body', 'absent.json'], '--body cannot be read: ENOENT'],
  ])('wrong usage ends with exit code 2 and without a request: %j', async (args, message) => {
    const before = server.log.length
    const { code, stdout, stderr } = await svc(args, {}, '[]')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(server.log).toHaveLength(before)
  })

  it.each([
    'http://ada:hunter2@127.0.0.1:1',
    'http://hunter2@127.0.0.1:1',
    'https://ada:hun/hunter2@h',
    'ftp://ada:hunter2@h',
    'ada:hunter2@h',
    'http://h/?token=hunter2',
  ])('the error does not quote the password in %s', async (url) => {
    for (const said of [await svc(['public', 'time', '--url', url]), await svc(['public', 'time'], { SVC_URL: url })]) {
      expect(said).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('***') })
      expect(said.stderr).not.toContain('hunter2')
    }
  })

  it('a body that is not UTF-8 ends with exit code 2 and without a request', async () => {
    await writeFile(join(cwd, 'latin1.json'), '{"field":"nickname","value":"gr\u00fcn"}', 'latin1')
    const before = server.log.length
    const { code, stderr } = await svc(['account', 'profile-update', '--body', 'latin1.json'])
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'error: --body must be UTF-8\n(see --help)\n' })
    expect(server.log).toHaveLength(before)
  })

  it('a body without an end ends with exit code 2', async () => {
    expect(await svc(['account', 'profile-update', '--body', '/dev/zero'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--body must have at most 64 MiB'),
    })
  })

  it('the error does not quote an invalid token', async () => {
    const { code, stderr } = await svc(['account', 'me'], { SVC_TOKEN: 'svc_secret\n' })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: --token or SVC_TOKEN contains invalid characters\n(see --help)\n',
    })
  })
})
