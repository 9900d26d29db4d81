import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { allSettings, version } from '@svc/server'
import { testAuthority } from '../../server/test/test-authority.js'
import { freePort } from '../../../test/servers/index.js'
import { emptyPlace, start, svc, svcServe } from './svc.js'

// Each command starts a process.
vi.setConfig({ testTimeout: 60_000 })

async function dial(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return socket
}

describe('--help', () => {
  it('serve --help lists every setting: flag, variable and default', async () => {
    await using place = await emptyPlace()
    const { code, stdout } = await svc(['serve', '--help'], place)
    const help = stdout.replace(/\s+/g, ' ')
    expect(code).toBe(0)
    for (const { flag, placeholder, description, env, shownDefault } of allSettings)
      expect(help).toContain(`--${flag} ${placeholder} ${description} (${env}, default: ${shownDefault || 'none'})`)
  })

  it('lists the commands, and --version prints the version', async () => {
    await using place = await emptyPlace()
    const { stdout } = await svc(['--help'], place)
    for (const command of ['serve', 'user', 'token']) expect(stdout).toContain(`\n  ${command} `)
    expect(await svc(['--version'], place)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('is printed with exit code 2 without a command', async () => {
    await using place = await emptyPlace()
    expect(await svc([], place)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Usage: svc') })
  })
})

describe('start', () => {
  it('logs its URL, and prints how to create the first account if there is no account', async () => {
    await using place = await emptyPlace()
    await using first = await svcServe(place)
    expect(first.log).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        dns: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        version,
        database: expect.stringMatching(/^sqlite:.*data\/svc\.db$/),
        msg: 'listening',
      },
      expect.objectContaining({ level: 'warn', msg: expect.stringMatching(/^SVC_NAMESERVERS is ns1\.localhost/) }),
    ])
    await svc(['user', 'add', 'you@example.com'], place)
    await first.stop()
    expect(first.stderr()).toContain('\n  npx svc user add you@example.com\n')

    await using second = await svcServe(place)
    await second.stop()
    expect(second.stderr()).toBe('')
  })

  it('reads .env, which the environment overrides, and warns about unknown variables', async () => {
    await using place = await emptyPlace()
    await writeFile(join(place.cwd, '.env'), 'SVC_DATA=from-file\nSVC_LOG_LEVEL=warn\nSVC_PROT=1\n')
    await using server = await svcServe({ ...place, env: { SVC_LOG_LEVEL: 'info' } })
    await server.stop()
    expect(server.log[0]).toMatchObject({
      level: 'warn',
      msg: 'SVC_PROT is set, but it is not a setting: did you mean SVC_PORT?',
    })
    expect(server.log[1]).toMatchObject({ msg: 'listening', database: expect.stringMatching(/from-file\/svc\.db$/) })
  })

  it('serves metrics on a separate port', async () => {
    await using place = await emptyPlace()
    const port = await freePort()
    await using server = await svcServe(place, '--metrics-port', String(port))
    await fetch(`${server.url}/v1/public/time`)
    const metrics = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text()
    expect(await server.stop()).toBe(0)
    expect(metrics).toMatch(/svc_http_request_duration_seconds_count\{operation="public.time",status="200"\} 1/)
  })
})

describe('a start that fails', () => {
  it('exits with code 2 on invalid settings, and lists all of them', async () => {
    await using place = await emptyPlace()
    const bad = { ...place, env: { SVC_PORT: 'abc', SVC_DATABASE: 'mysql://u:hunter2@h' } }
    const { code, stdout, stderr } = await svc(['serve', '--log-level', 'loud'], bad)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^svc: SVC_DATABASE must be sqlite:.*, not mysql:\.$/),
      'svc: SVC_PORT is "abc" but must be a port number, 0 to 65535.',
      expect.stringMatching(/^svc: --log-level is "loud" but must be one of trace, /),
      '',
    ])
  })

  it('exits with code 1 if a port of HTTPS is in use, and with code 2 for a certificate that cannot be used', async () => {
    await using place = await emptyPlace()
    await using server = await svcServe(place)
    const { port } = new URL(server.url)
    const authority = testAuthority()
    const { chain, key } = authority.issue(['localhost'])
    authority.remove()
    const [good, broken] = [join(place.cwd, 'good.pem'), join(place.cwd, 'broken.pem')]
    await writeFile(good, chain + key)
    await writeFile(broken, chain)
    const tls = (file: string) => ['serve', '--port', '0', '--public-url', 'https://localhost', '--tls-cert', file]
    for (const [flags, env] of [
      [['--tls-port', port, '--http-port', '0'], 'SVC_TLS_PORT'],
      [['--tls-port', '0', '--http-port', port], 'SVC_HTTP_PORT'],
    ] as const)
      expect(await svc([...tls(good), ...flags], place)).toMatchObject({
        code: 1,
        stderr: `svc: Port ${port} on 127.0.0.1 is in use: stop the process that listens there, or set ${env} to another port.\n`,
      })
    expect(await svc([...tls(broken), '--tls-port', '0'], place)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^svc: The certificate of SVC_TLS_CERT cannot be used\. .*broken\.pem: No private key fits/,
      ),
    })
  })

  it('exits with code 1 if a port is in use, and names the variable to set', async () => {
    await using place = await emptyPlace()
    await using server = await svcServe(place)
    const { port } = new URL(server.url)
    for (const [flag, env] of [
      ['--port', 'SVC_PORT'],
      ['--metrics-port', 'SVC_METRICS_PORT'],
    ] as const) {
      expect(await svc(['serve', '--port', '0', flag, port], place)).toEqual({
        code: 1,
        stdout: '',
        stderr: `svc: Port ${port} on 127.0.0.1 is in use: stop the process that listens there, or set ${env} to another port.\n`,
      })
    }
    await server.stop()
  })

  it.each([
    [
      { SVC_DATA: 'file/data' },
      /^svc: The directory .*data\S* cannot be used, because .*file is not a directory: .*SVC_DATA/,
    ],
    [
      { SVC_DATABASE: 'sqlite:file' },
      /^svc: The database sqlite:.* is not a SQLite database, or is damaged: .*SVC_DATABASE/,
    ],
    [
      { SVC_DATABASE: 'postgres://u:hunter2@127.0.0.1:9/d' },
      /^svc: The database postgres:\/\/127\.0\.0\.1:9\/d refuses connections: .*SVC_DATABASE\.\n$/,
    ],
  ])('exits with code 1 and names the variable to correct: %o', async (env, stderr) => {
    await using place = await emptyPlace()
    await writeFile(join(place.cwd, 'file'), 'not a database, and long enough to be looked at. '.repeat(40))
    expect(await svc(['serve', '--port', '0'], { ...place, env })).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(stderr),
    })
  })
})

it('SIGTERM ends a start that waits for a database without an answer', async () => {
  await using place = await emptyPlace()
  const silent = createServer()
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const { port } = silent.address() as AddressInfo
  const child = start(['serve', '--database', `postgres://u@127.0.0.1:${String(port)}/d`], place)
  await once(silent, 'connection')
  const from = performance.now()
  child.kill()
  expect(await once(child, 'close')).toEqual([0, null])
  expect(performance.now() - from).toBeLessThan(9_000)
  silent.close()
})

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it('completes the running request, refuses new connections, closes idle connections and exits with 0', async () => {
    await using place = await emptyPlace()
    await using server = await svcServe(place)
    const slow = await slowRequest(server.url)
    const idle = await idleConnections(server.url)

    const from = performance.now()
    server.child.kill(signal)
    while (!(await refused(server.url))) await sleep(10)
    const answer = await slow.finish()
    expect(answer).toMatch(/^HTTP\/1\.1 401 [^]*"error":"unauthorized"/)
    expect(await server.ended).toBe(0)
    expect(performance.now() - from).toBeLessThan(5_000)
    expect(server.log.slice(2).map(({ msg, operation }) => msg ?? operation)).toEqual([
      'public.time',
      'stopping',
      'session.signIn',
      'stopped',
    ])
    for (const connection of idle) connection.destroy()
  })
})

it('a second signal ends the process at once', async () => {
  await using place = await emptyPlace()
  await using server = await svcServe(place)
  const slow = await slowRequest(server.url)
  server.child.kill('SIGTERM')
  await sleep(700)
  const from = performance.now()
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(143)
  expect(performance.now() - from).toBeLessThan(1_000)
  expect(await slow.finish()).toBe('')
})

it('a second signal of the same key press changes nothing', async () => {
  await using place = await emptyPlace()
  await using server = await svcServe(place)
  const slow = await slowRequest(server.url)
  server.child.kill('SIGINT')
  await sleep(50)
  server.child.kill('SIGINT')
  await sleep(50)
  expect(await slow.finish()).toMatch(/^HTTP\/1\.1 401 /)
  expect(await server.ended).toBe(0)
})

/** A request with an incomplete body, whose head the server has read. */
async function slowRequest(url: string) {
  const socket = await dial(url)
  const body = JSON.stringify({ email: 'nobody@example.com', password: 'not the password' })
  const head = [
    'POST /console/api/session/sign-in HTTP/1.1',
    `Host: ${new URL(url).host}`,
    `Origin: ${url}`,
    'Content-Type: application/json',
    `Content-Length: ${String(body.length)}`,
    'Expect: 100-continue',
  ]
  socket.on('error', () => socket.destroy())
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [interim] = (await once(socket, 'data')) as [Buffer]
  expect(interim.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  socket.write(body.slice(0, 5))
  return {
    finish: async () => {
      if (socket.writable) socket.write(body.slice(5))
      return socket.destroyed ? '' : text(socket)
    },
  }
}

/** One unused connection, and one that is kept alive after an answer. */
async function idleConnections(url: string) {
  const unused = await dial(url)
  const agent = new Agent({ keepAlive: true })
  const answer = await new Promise<NodeJS.ReadableStream>((resolve) => get(`${url}/v1/public/time`, { agent }, resolve))
  await text(answer)
  return [unused, agent]
}

const refused = (url: string) =>
  dial(url).then(
    (socket) => {
      socket.destroy()
      return false
    },
    () => true,
  )
