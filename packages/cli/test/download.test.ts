import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { emptyPlace, start, svc as run, type Place } from './svc.js'

// Each command starts a process.
vi.setConfig({ testTimeout: 60_000 })

/** Downloads from servers that break, change or send hostile names. */
let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function answering(listener: RequestListener): Promise<string> {
  const started = createServer(listener)
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${String((started.address() as AddressInfo).port)}`
}

const bytes = randomBytes(3_000_000)

interface Broken {
  /** The connection is reset after so many bytes of each answer. */
  readonly breakAfter?: number
  /** After so many bytes, nothing follows. */
  readonly haltAfter?: number
  /** Entity tags of the answers, in their order; the last one remains. */
  readonly etags?: readonly string[]
  readonly name?: string
}

/** A server that resets connections. `requests` gets the Range and If-Range of each request. */
async function breaking({ breakAfter, haltAfter, etags = ['"v1"'], name = 'notes.bin' }: Broken = {}) {
  const requests: (string | undefined)[][] = []
  const url = await answering((request, response) => {
    const { range, 'if-range': condition } = request.headers
    const etag = etags[Math.min(requests.length, etags.length - 1)] ?? ''
    requests.push([range, condition?.toString()])
    const isPartial = range !== undefined && condition === etag
    const from = isPartial ? Number(/^bytes=(\d+)-$/.exec(range)?.[1]) : 0
    response.writeHead(isPartial ? 206 : 200, {
      'content-length': bytes.length - from,
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      ...(etag && { etag }),
      ...(isPartial && { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    })
    const part = bytes.subarray(from, breakAfter === undefined ? bytes.length : from + breakAfter)
    if (haltAfter !== undefined) response.write(part.subarray(0, haltAfter))
    else if (from + part.length === bytes.length) response.end(part)
    else response.write(part, () => setTimeout(() => response.destroy(), 100))
  })
  return { url, requests }
}

const download = (place: Place, url: string, ...flags: string[]) =>
  run(['api', 'files', 'download', '--id', '7', '--url', url, ...flags], place)

const sameBytes = async (file: string) => {
  expect(
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex'),
  ).toBe(createHash('sha256').update(bytes).digest('hex'))
}

describe('a broken connection', () => {
  it('continues with the bytes that are missing', async () => {
    await using place = await emptyPlace()
    const { url, requests } = await breaking({ breakAfter: 1_400_000 })
    const { code, stdout, stderr } = await download(place, url, '-o', 'out.bin')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toMatch(
      /^svc: the answer is incomplete: .+; trying again in 1 s\n(svc: .+ in 1 s\n)*2\.9 MiB received in \d\.\d s \(.+\/s\)\n$/,
    )
    expect(requests[0]).toEqual([undefined, undefined])
    const starts = requests.slice(1).map(([range]) => Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1]))
    // A busy client has not got all that the server has sent before the connection broke.
    let before = 0
    for (const start of starts) {
      expect(start).toBeGreaterThan(before)
      expect(start).toBeLessThanOrEqual(before + 1_400_000)
      before = start
    }
    expect(starts.length).toBeGreaterThan(1)
    expect(requests[1]?.[1]).toBe('"v1"')
    await sameBytes(join(place.cwd, 'out.bin'))
  })

  it('continues on stdout too', async () => {
    await using place = await emptyPlace()
    const { url } = await breaking({ breakAfter: 2_000_000 })
    const child = start(['api', 'files', 'download', '--id', '7', '--url', url], place)
    const hash = createHash('sha256')
    child.stdout.on('data', (chunk: Buffer) => hash.update(chunk))
    await once(child, 'close')
    expect(child.exitCode).toBe(0)
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))
  })

  it.each([
    ['the file has changed', { breakAfter: 100_000, etags: ['"v1"', '"v2"'] }, 'the file has changed since'],
    ['the file has no entity tag', { breakAfter: 100_000, etags: [''] }, 'the answer is incomplete: '],
    ['the entity tag is weak', { breakAfter: 100_000, etags: ['W/"v1"'] }, 'the answer is incomplete: '],
  ])('fails and leaves no file if %s', async (_what, broken, message) => {
    await using place = await emptyPlace()
    const { url } = await breaking(broken)
    const { code, stderr } = await download(place, url, '--output', 'out.bin')
    expect(code).toBe(1)
    expect(stderr).toContain(`svc: ${message}`)
    expect(await readdir(place.cwd)).toEqual([])
  })
})

describe('--output', () => {
  it('--output with a folder uses the name of the download', async () => {
    await using place = await emptyPlace()
    const { url } = await breaking({ name: 'grün.bin' })
    expect((await download(place, url, '-o', '.')).code).toBe(0)
    await sameBytes(join(place.cwd, 'grün.bin'))
  })

  it.each([
    ['../../escaped.bin', 'escaped.bin'],
    ['/etc/escaped.bin', 'escaped.bin'],
    ['.profile', '_profile'],
    ['a\u001b[2J\nb\u202e', 'a_[2J_b_'],
  ])('--output with a folder does not leave it: %j', async (name, saved) => {
    await using place = await emptyPlace()
    await mkdir(join(place.cwd, 'inner'))
    const { url } = await breaking({ name })
    expect((await download(place, url, '-o', 'inner')).code).toBe(0)
    expect(await readdir(join(place.cwd, 'inner'))).toEqual([saved])
    expect(await readdir(place.cwd)).toEqual(['inner'])
  })

  it('keeps an existing file, and does not ask the server', async () => {
    await using place = await emptyPlace()
    await writeFile(join(place.cwd, 'out.bin'), 'mine')
    const { url, requests } = await breaking()
    expect(await download(place, url, '-o', 'out.bin')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: out.bin exists: add --force to replace it.\n',
    })
    expect(requests).toEqual([])
  })

  it('keeps an existing file in a folder', async () => {
    await using place = await emptyPlace()
    await writeFile(join(place.cwd, 'notes.bin'), 'mine')
    const { url } = await breaking()
    expect((await download(place, url, '-o', '.')).stderr).toBe('svc: notes.bin exists: add --force to replace it.\n')
    expect(await readFile(join(place.cwd, 'notes.bin'), 'utf8')).toBe('mine')
    expect(await readdir(place.cwd)).toEqual(['notes.bin'])
  })

  it('replaces a file with --force, through a symbolic link', async () => {
    await using place = await emptyPlace()
    await writeFile(join(place.cwd, 'real.bin'), 'old')
    await symlink('real.bin', join(place.cwd, 'link.bin'))
    const { url } = await breaking()
    expect((await download(place, url, '-o', 'link.bin', '--force')).code).toBe(0)
    await sameBytes(join(place.cwd, 'real.bin'))
    expect((await readdir(place.cwd)).toSorted()).toEqual(['link.bin', 'real.bin'])
  })

  it('keeps the old file if the download fails', async () => {
    await using place = await emptyPlace()
    await writeFile(join(place.cwd, 'out.bin'), 'old')
    const { url } = await breaking({ breakAfter: 10, etags: [''] })
    expect((await download(place, url, '-o', 'out.bin', '--force')).code).toBe(1)
    expect(await readFile(join(place.cwd, 'out.bin'), 'utf8')).toBe('old')
    expect(await readdir(place.cwd)).toEqual(['out.bin'])
  })

  it('writes to a device without replacing it', async () => {
    await using place = await emptyPlace()
    const { url } = await breaking()
    expect((await download(place, url, '-o', '/dev/null', '--force')).code).toBe(0)
    expect((await download(place, url, '-o', '/dev/null')).code).toBe(0)
  })

  it('--output in a missing folder is an error in one line', async () => {
    await using place = await emptyPlace()
    const { url } = await breaking()
    const { code, stderr } = await download(place, url, '-o', 'missing/out.bin')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^svc: missing\/out\.bin cannot be written: ENOENT: .+\n$/)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s removes the incomplete file if it cannot be continued',
    async (signal) => {
      await using place = await emptyPlace()
      const url = await answering((_request, response) => {
        response.writeHead(200, { 'content-length': 1000 }).write('ab')
      })
      const child = await interrupted(place, url, signal)
      expect(child.signalCode).toBe(signal)
      expect(await readdir(place.cwd)).toEqual([])
    },
  )
})

/** Starts a download, and ends it when it has received a part. */
async function interrupted(place: Place, url: string, signal: NodeJS.Signals) {
  const child = start(['api', 'files', 'download', '--id', '7', '--url', url, '-o', 'out.bin'], place)
  const said = text(child.stderr)
  const isPartFilled = async () => {
    const [name] = await readdir(place.cwd)
    return name !== undefined && (await stat(join(place.cwd, name))).size > 0
  }
  while (!(await isPartFilled())) await sleep(20)
  child.kill(signal)
  await once(child, 'close')
  return { signalCode: child.signalCode, stderr: await said }
}

describe('a run that ends early', () => {
  /** Sends a part of the bytes, and keeps the connection open. */
  const half = async () => (await breaking({ haltAfter: 1_000_000 })).url
  const stopServer = () => {
    server?.closeAllConnections()
    server?.close()
  }

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'a run that %s ends early leaves a part that is not hidden, and the next run gets the rest',
    async (signal) => {
      await using place = await emptyPlace()
      const { signalCode, stderr } = await interrupted(place, await half(), signal)
      stopServer()
      expect(signalCode).toBe(signal)
      const parts = await readdir(place.cwd)
      expect(parts).toEqual([expect.stringMatching(/^out\.bin\.[0-9a-f]{12}\.svc-part$/)])
      if (signal !== 'SIGKILL')
        expect(stderr).toBe(
          `svc: the received part is kept as ${parts[0] ?? ''}: run the same command again to continue\n`,
        )
      const { size } = await stat(join(place.cwd, parts[0] ?? ''))
      const { url, requests } = await breaking()
      const { code, stderr: rest } = await download(place, url, '-o', 'out.bin')
      expect([code, rest]).toEqual([0, expect.stringMatching(/received in/)])
      expect(requests).toEqual([
        [undefined, undefined],
        [`bytes=${size}-`, '"v1"'],
      ])
      await sameBytes(join(place.cwd, 'out.bin'))
      expect(await readdir(place.cwd)).toEqual(['out.bin'])
    },
  )

  it('the next run gets all of a file that has changed since, and removes the part of the old version', async () => {
    await using place = await emptyPlace()
    await interrupted(place, await half(), 'SIGKILL')
    stopServer()
    const { url, requests } = await breaking({ etags: ['"v2"'] })
    expect((await download(place, url, '-o', 'out.bin')).code).toBe(0)
    expect(requests).toEqual([[undefined, undefined]])
    await sameBytes(join(place.cwd, 'out.bin'))
    expect(await readdir(place.cwd)).toEqual(['out.bin'])
  })

  it('the run after one that ended after the last byte asks for no range', async () => {
    await using place = await emptyPlace()
    await interrupted(place, await half(), 'SIGKILL')
    stopServer()
    const [part = ''] = await readdir(place.cwd)
    await writeFile(join(place.cwd, part), bytes)
    const { url, requests } = await breaking()
    expect((await download(place, url, '-o', 'out.bin')).code).toBe(0)
    expect(requests).toEqual([[undefined, undefined]])
    await sameBytes(join(place.cwd, 'out.bin'))
  })

  it('a download continues for a name of 255 bytes', async () => {
    await using place = await emptyPlace()
    const name = `${'ü'.repeat(125)}a.bin`
    const { url } = await breaking({ name })
    expect((await download(place, url, '-o', '.')).code).toBe(0)
    expect(await readdir(place.cwd)).toEqual([name])
  })
})
