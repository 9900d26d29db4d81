import { execFileSync } from 'node:child_process'
import { mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { emptyPlace, svc, svcProcess, svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import { accountStore } from '../../packages/server/src/areas/account/accounts/store.js'
import { deploymentStore } from '../../packages/server/src/areas/deployments/store.js'
import { withDatabase } from '../../packages/server/src/commands/with-database.js'
import { reserveFileBytes, reserveFileOf } from '../../packages/server/src/db/sqlite/reserve-file.js'
import { buildZip } from '../../packages/server/test/built-zip.js'
import { send } from '../../packages/server/test/raw-http.js'
import { accountToken } from '../account-token.js'

/** On a disk that fills up, deletes, revocations and small changes go on, and nothing large is stored. */

const mib = 1024 ** 2
const reserve = 8 * mib
const diskBytes = 48 * mib
const kinds = ['form', 'webhook'] as const

interface Disk extends AsyncDisposable {
  readonly place: Place
  readonly data: string
  /** Writes another file until so many bytes are free: 0 for the last byte. */
  readonly fill: (freeBytes: number) => Promise<void>
  readonly freeBytes: () => Promise<number>
}

/** A data directory on a small file system. */
async function smallDisk(): Promise<Disk> {
  const place = await emptyPlace()
  const data = join(place.cwd, 'data')
  await mkdir(data)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${String(diskBytes)}`, 'svc-small-disk', data])
  const freeBytes = async () => {
    const { bavail, bsize } = await statfs(data)
    return bavail * bsize
  }
  let files = 0
  return {
    place: { ...place, env: { SVC_DISK_RESERVE_BYTES: String(reserve) } },
    data,
    freeBytes,
    fill: async (freeLeft) => {
      const file = await open(join(data, `other-${String(files++)}`), 'w')
      const piece = Buffer.alloc(4096, 1)
      const isFull = (error: NodeJS.ErrnoException) => error.code === 'ENOSPC'
      try {
        while (freeLeft === 0 || (await freeBytes()) > freeLeft) await file.write(piece)
      } catch (error) {
        if (!isFull(error as NodeJS.ErrnoException)) throw error
      } finally {
        await file.close()
      }
    },
    [Symbol.asyncDispose]: async () => {
      execFileSync('umount', ['-l', data])
      await place[Symbol.asyncDispose]()
    },
  }
}

/** A form and a webhook with the names of their kinds. */
const addDeployments = ({ data }: Disk, email: string) =>
  withDatabase({ kind: 'sqlite', file: join(data, 'svc.db') }, async (db) => {
    const account = await accountStore(db).byEmail(email)
    if (account === undefined) throw new Error(`${email} has no account.`)
    for (const kind of kinds) {
      const settings = kind === 'form' ? '{"next_urls":[],"origins":[]}' : '{}'
      const terms = { target: null, secret: null, expiresAt: null, maxUses: null, settings }
      expect(
        await deploymentStore(db, 0, () => undefined).create(account, { kind, slug: kind, isEnabled: true, ...terms }),
      ).toBeDefined()
    }
  })

interface Outcome {
  readonly status: number
  readonly text: string
  readonly data: Record<string, unknown>
}

const caller =
  (server: Serving, token: string) =>
  async (path: string, body?: object | Buffer, method = body === undefined ? 'GET' : 'POST'): Promise<Outcome> => {
    const isJson = !Buffer.isBuffer(body)
    const type = isJson ? 'application/json' : 'application/octet-stream'
    const answer = await send(server.url, method, path, {
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': type }) },
      ...(body && { body: isJson ? JSON.stringify(body) : body }),
    })
    return { status: answer.status, text: answer.text, data: (answer.body['data'] ?? {}) as Record<string, unknown> }
  }

const errorLines = (server: Serving) => server.log.filter(({ level }) => level === 'error')

/** A repeated message is not stored. */
let messages = 0

/** Everything that stores something large. */
async function storeLarge(server: Serving, token: string, smsKey: string): Promise<Outcome[]> {
  const call = caller(server, token)
  const onContent = async (path: string, body: string, type: string): Promise<Outcome> => {
    const headers = { host: 'content.localhost', 'content-type': type }
    const { status, text } = await send(server.url, 'POST', path, { headers, body })
    return { status, text, data: {} }
  }
  const zip = buildZip([{ name: 'index.html', data: 'x' }]).toString('base64')
  return [
    await call('/v1/files/upload?name=new.bin', Buffer.alloc(100_000)),
    await call('/v1/files/upload?name=small.txt', Buffer.from('small')),
    await call('/v1/sites/deploy', { name: 'full', archive: zip }),
    await call('/v1/packages/publish', { slug: 'full', version: '1.0.0', artifacts: [{ name: 'a', content: 'YQ==' }] }),
    await onContent('/f/form', 'name=Ada', 'application/x-www-form-urlencoded'),
    await onContent('/h/webhook', 'hello', 'text/plain'),
    await call(`/sms/${smsKey}`, { from: '+15550100', content: `message ${String(messages++)}` }),
  ]
}

/** Small changes must not use up what deletes need. */
async function createUntilRefused(call: ReturnType<typeof caller>): Promise<void> {
  const value = Array.from({ length: 8 }, () => `"${'x'.repeat(250)}"`).join(' ')
  for (let i = 0; ; i++) {
    const { status, text } = await call('/v1/dns/zones/disk.example/records', {
      type: 'TXT',
      host: `r${String(i)}`,
      value,
    })
    if (status === 502) return
    expect(status, text).toBe(200)
  }
}

// Only root may mount a file system.
const asRoot = it.runIf(process.getuid?.() === 0)

asRoot(
  'below the reserve nothing large is stored, and the rest goes on; on a full disk, deletes free space',
  async () => {
    await using disk = await smallDisk()
    const { place } = disk
    await using server = await svcServe(place)
    const token = await accountToken(place, 'ada@example.com', '*')
    await accountToken(place, 'bob@example.com', '*')
    await addDeployments(disk, 'ada@example.com')
    const call = caller(server, token)
    const ids: unknown[] = []
    for (const name of ['a.bin', 'b.bin', 'c.bin']) {
      const { status, data } = await call(`/v1/files/upload?name=${name}`, Buffer.alloc(2 * mib, name))
      expect(status).toBe(200)
      ids.push(data['id'])
    }
    await call('/v1/dns/zones', { zone: 'disk.example' })
    const { data: keyData } = await call('/v1/sms/keys', { label: 'Phone' })
    const stored = (await storeLarge(server, token, String(keyData['key']))).map(({ status }) => status)
    expect(stored.slice(0, 6)).toEqual([200, 200, 200, 200, 200, 200])
    const reserveFile = reserveFileOf(join(disk.data, 'svc.db'))
    await expect
      .poll(async () => (await stat(reserveFile).catch(() => undefined))?.size, { timeout: 30_000 })
      .toBe(reserveFileBytes(reserve))

    await disk.fill(reserve / 2)
    await vi.waitFor(async () => expect((await call('/readyz')).text).toContain('"degraded"'), 5_000)
    expect((await call('/readyz')).status).toBe(200)
    for (const { status, text } of await storeLarge(server, token, String(keyData['key']))) {
      expect(text).toContain('almost full')
      expect(status).toBe(502)
    }
    const record = { type: 'A', host: 'small', value: '192.0.2.1' }
    expect((await call('/v1/dns/zones/disk.example/records', record)).status).toBe(200)
    expect((await call('/v1/files/delete', { id: ids[0] })).status).toBe(200)

    await disk.fill(0)
    expect(await disk.freeBytes()).toBe(0)
    const linesBefore = errorLines(server).length
    for (let i = 0; i < 100; i++) await storeLarge(server, token, String(keyData['key']))
    await createUntilRefused(call)
    expect((await svc(['token', 'revoke', 'bob@example.com', 'e2e'], place)).code).toBe(0)
    expect((await svc(['user', 'delete', 'bob@example.com', '--yes'], place)).code).toBe(0)
    for (const id of ids.slice(1)) {
      const { status, text } = await call('/v1/files/delete', { id })
      expect(status, text).toBe(200)
    }
    await expect.poll(() => disk.freeBytes()).toBeGreaterThan(3 * mib)
    await vi.waitFor(() => expect(errorLines(server).length).toBeGreaterThan(0))
    expect(errorLines(server).length - linesBefore).toBeLessThan(3)

    for (const name of await readdir(disk.data)) if (name.startsWith('other-')) await rm(join(disk.data, name))
    await vi.waitFor(async () => expect((await call('/readyz')).text).toContain('"status":"ok"'), 5_000)
    expect((await call('/v1/files/upload?name=after.bin', Buffer.alloc(100_000))).status).toBe(200)
    expect(await server.stop()).toBe(0)
  },
  120_000,
)

asRoot('without a server, commands work on a disk that is full to the last byte, and the server starts', async () => {
  await using disk = await smallDisk()
  const { place } = disk
  const token = await accountToken(place, 'ada@example.com', '*')
  {
    await using server = await svcServe(place)
    const reserveFile = reserveFileOf(join(disk.data, 'svc.db'))
    await expect
      .poll(async () => (await stat(reserveFile).catch(() => undefined))?.size, { timeout: 30_000 })
      .toBe(reserveFileBytes(reserve))
    expect(await server.stop()).toBe(0)
  }
  await disk.fill(0)
  const revoked = await svcProcess(['token', 'revoke', 'ada@example.com', 'e2e'], place)
  expect(revoked).toMatchObject({ code: 0, stderr: expect.stringContaining('Revoked the token') })
  await using server = await svcServe(place)
  expect((await caller(server, token)('/v1/account/me')).status).toBe(401)
  expect(await server.stop()).toBe(0)
})
