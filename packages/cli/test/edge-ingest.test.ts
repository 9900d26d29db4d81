import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { ensure, freePort, startPostgres, startVarnish, type Varnish } from '../../../test/servers/index.js'
import { logFormat } from '../../server/src/areas/files/edge-log/log-lines.js'
import { varnishEdge } from '../../server/src/ports/edge/varnish-edge.js'
import { serveIn } from './serving.js'
import { emptyPlace, start, svc, svcServe, type Place } from './svc.js'

// Each command starts a process.
vi.setConfig({ testTimeout: 120_000 })

const email = 'ada@example.com'

type Data = Record<string, unknown>

const behindVarnish = { SVC_EDGE: 'varnish+http://127.0.0.1:9' }
const line = (path: string) => `GET\tcontent.localhost\t${path}\t200\t5\thit\n`

const script = fileURLToPath(new URL('../../../integrations/varnish/count-requests.sh', import.meta.url))

/** Runs the script of integrations/varnish, and stops it like systemd: with a signal to each of its processes. */
function startCounting(varnish: Varnish, { cwd, env }: Place) {
  ensure('varnishncsa')
  const child = spawn(script, ['-n', varnish.folder], { cwd, env: { ...process.env, ...env }, detached: true })
  const output = text(child.stderr)
  const ended = once(child, 'close')
  /** @returns what it has written to stderr */
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-Number(child.pid), 'SIGTERM')
    await ended
    return output
  }
  return { stop }
}

/** A command that reads a log from its stdin. */
function startIngest(place: Place) {
  const child = start(['edge', 'ingest'], place)
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, stderr }))
  return { child, ended, stderr: () => stderr }
}

/** A client of the server that shares files. */
async function clientOf(url: string, place: Place) {
  await svc(['user', 'add', email], place)
  const add = ['token', 'add', email, '--name', 'ci', '--scope', 'files:write', '--scope', 'cdn:read']
  const token = (await svc(add, place)).stdout.trim()
  const call = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    return ((await (await fetch(`${url}/v1${path}`, sent)).json()) as { data: Data }).data
  }
  /** Shares a file of five bytes. */
  return async () => {
    const { id, share_url: link } = await call('/files/upload', { name: 'a.txt', content: 'aGVsbG8=', shared: true })
    const { pathname: path, hostname: host } = new URL(String(link))
    const stats = async () => ((await call('/cdn/stats'))['files'] as Data[]).find((file) => file['id'] === id)
    return { id: Number(id), path, host, stats }
  }
}

const shareFile = async (url: string, place: Place) => (await clientOf(url, place))()

const get = (url: string, path: string, host: string) =>
  new Promise<string>((resolve, reject) => {
    request(url + path, { headers: { host } }, (response) => void text(response).then(resolve, reject))
      .once('error', reject)
      .end()
  })

describe('svc edge ingest', () => {
  it('adds the requests that Varnish answers to the counts of the file; the server behind it counts none', async () => {
    await using empty = await emptyPlace()
    const port = await freePort()
    const varnish = await startVarnish(port)
    const place: Place = { ...empty, env: { SVC_EDGE: `varnish+${varnish.url}` } }
    await using server = await svcServe(place, '--port', String(port))
    const share = await clientOf(server.url, place)
    const [probe, file] = [await share(), await share()]
    const follow = (path: string, host = file.host) => get(varnish.url, path, host)
    const counting = startCounting(varnish, place)
    try {
      // varnishncsa reads the requests from its start on.
      const isCounting = async () => {
        await follow(probe.path)
        return Number((await probe.stats())?.['requests']) > 0
      }
      await expect.poll(isCounting, { timeout: 30_000 }).toBe(true)

      for (let i = 0; i < 10; i++) expect(await follow(file.path)).toBe('hello')
      await follow(file.path, 'api.example.com')
      await follow('/s/unknown/a.txt')
      await expect
        .poll(file.stats, { timeout: 15_000 })
        .toMatchObject({ requests: 10, hits: 9, misses: 1, bytes_served: 50 })

      // The purge of another file of the same slot makes Varnish begin the next request again, as a miss.
      await varnishEdge(varnish).purge([file.id + 256])
      expect(await follow(file.path)).toBe('hello')
      const counts = { requests: 11, hits: 9, misses: 2, bytes_served: 55 }
      await expect.poll(file.stats, { timeout: 15_000 }).toMatchObject(counts)

      expect(await counting.stop()).toMatch(/^Counted \d+ requests for share links\. .* 0 malformed lines\.\n$/)
      // The server would write its own counts every second.
      await sleep(1_500)
      expect(await file.stats()).toMatchObject(counts)
    } finally {
      await counting.stop()
      await varnish.stop()
    }
  })

  it('reads the format that its help, the script and the document name', async () => {
    await using place = await emptyPlace()
    const { stdout } = await svc(['edge', 'ingest', '--help'], place)
    const document = new URL('../../../docs/operating.md', import.meta.url)
    for (const shown of [stdout, await readFile(script, 'utf8'), await readFile(document, 'utf8')])
      expect(shown).toContain(`-F '${logFormat}' | `)
  })

  it('reads a file, and reports malformed and other lines', async () => {
    await using empty = await emptyPlace()
    const place = { ...empty, env: behindVarnish }
    await using server = await serveIn(place)
    const { path, stats } = await shareFile(server.url, place)
    const log = join(empty.cwd, 'log')
    await writeFile(log, `${line(path).repeat(25_000)}${line('/s/unknown/a')}${line('/favicon.ico')}junk\u001b[31m`)
    expect(await svc(['edge', 'ingest', log], place)).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'A line does not have the format of svc edge ingest: "junk\\u001b[31m"\n' +
        'Counted 25000 requests for share links. Skipped 1 for links that do not exist, 1 other requests, 1 malformed lines.\n',
    })
    expect(await stats()).toMatchObject({ requests: 25_000, hits: 25_000, misses: 0, bytes_served: 125_000 })
  })

  it('saves while its input is open, and at SIGTERM', async () => {
    await using empty = await emptyPlace()
    const place = { ...empty, env: behindVarnish }
    await using server = await serveIn(place)
    const { path, stats } = await shareFile(server.url, place)
    const { child, ended, stderr } = startIngest(place)
    child.stdin.write(line(path))
    await expect.poll(stats, { timeout: 15_000 }).toMatchObject({ requests: 1 })
    // The message about the second line shows that the first one was read.
    child.stdin.write(`${line(path)}malformed\n`)
    await expect.poll(stderr, { interval: 10, timeout: 15_000 }).toContain('malformed')
    child.kill()
    expect((await ended).code).toBe(0)
    expect(await stats()).toMatchObject({ requests: 2 })
  })

  it('is refused while svc counts the requests itself', async () => {
    await using place = await emptyPlace()
    const { code, stderr } = await svc(['edge', 'ingest'], place)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'svc: SVC_EDGE is embedded: svc counts the requests itself. Set SVC_EDGE to the Varnish whose log this is.\n',
    })
  })

  it('fails for a log in another format, and for a file that does not exist', async () => {
    await using empty = await emptyPlace()
    const place = { ...empty, env: behindVarnish }
    await svc(['user', 'add', email], place)
    const wrong = await svc(['edge', 'ingest'], place, '127.0.0.1 - - [date] "GET /s/k/a HTTP/1.1" 200 5\n')
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toContain('svc: No line has the format of svc edge ingest. Run varnishncsa -F ')
    const missing = await svc(['edge', 'ingest', 'missing'], place)
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/^svc: ENOENT: no such file/) })
  })
})

describe('while PostgreSQL is unreachable', () => {
  it('keeps the counts until it is back; at SIGTERM, says how many requests are lost', async () => {
    await using empty = await emptyPlace()
    const postgres = await startPostgres({ keepsCommits: true })
    try {
      const place = { ...empty, env: { ...behindVarnish, SVC_DATABASE: await postgres.createDatabase() } }
      await using server = await serveIn(place)
      const { path, stats } = await shareFile(server.url, place)
      const first = startIngest(place)
      const second = startIngest(place)
      for (const { child } of [first, second]) child.stdin.write(line(path))
      await expect.poll(stats, { timeout: 30_000 }).toMatchObject({ requests: 2 })
      await postgres.shutDown('fast')
      for (const { child } of [first, second]) child.stdin.write(line(path).repeat(1_000))
      const isWaiting = ({ stderr }: typeof first) => stderr().includes('The counts cannot be saved, and wait: ')
      await expect.poll(() => isWaiting(first) && isWaiting(second), { timeout: 30_000 }).toBe(true)

      second.child.kill()
      const lost = await second.ended
      expect(lost.code).toBe(1)
      expect(lost.stderr).toContain('svc: The counts of 1000 requests could not be saved.\n')

      await postgres.startAgain()
      await expect.poll(() => stats().catch(() => undefined), { timeout: 30_000 }).toMatchObject({ requests: 1_002 })
      first.child.stdin.end()
      expect(await first.ended).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('Counted 1001 requests for share links.'),
      })
    } finally {
      await postgres.stop()
    }
  })
})
