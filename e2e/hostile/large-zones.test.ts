import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { svc } from '../../packages/cli/test/svc.js'
import { databaseKinds } from '../../packages/server/test/app.js'
import { accountSession } from '../account-token.js'
import { guardedServer, recordsPath, zone } from './guarded-server.js'
import { random } from './random.js'

/** Zones of the maximum size: four megabytes of characters with the longest JSON escapes. */

const zoneBytesMax = 4_000_000

/** Nearly the longest body of a request. */
const bodyBytes = 1_000_000

describe.each(databaseKinds)('the largest zone on %s', (kind) => {
  const { place, url, serving, send, post, expectNoGap } = guardedServer(kind)
  const chance = random(`large zones on ${kind}`)

  async function list() {
    const answer = await send({ path: recordsPath })
    expect(answer?.status).toBe(200)
    const { data } = JSON.parse(answer!.text) as { data: { records: { id: number; host: string; value: string }[] } }
    return data.records
  }
  const bytesOf = (records: readonly { host: string; value: string }[]) =>
    records.reduce((sum, { host, value }) => sum + Buffer.byteLength(host) + Buffer.byteLength(value), 0)

  /** The server's resident memory in MiB. */
  async function residentMiB(): Promise<number> {
    const status = await readFile(`/proc/${String(serving().child.pid)}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
  }

  /** Reloads the zone twice: the claim does, and then the follower. */
  const reload = async () => {
    expect((await send({ method: 'DELETE', path: `/v1/dns/zones/${zone}` }))?.status).toBe(200)
    expect((await post('/v1/dns/zones', { zone }))?.status).toBe(200)
    await sleep(600)
  }

  it('accepts values of the maximum length up to the limit of the zone, and no more', async () => {
    const value = String.raw`\"`.repeat(31_500)
    await expectNoGap(async () => {
      let status: number | undefined = 200
      for (let i = 0; status === 200; i++) {
        expect(i).toBeLessThan(200)
        const answer = await post(recordsPath, {
          type: 'TXT',
          host: `long${i}x${chance.integer(0, 1e9)}`,
          value: `v${value}`,
        })
        status = answer?.status
        if (status !== 200) expect(answer?.text).toMatch(/"value would bring .* bytes; a zone holds at most 4000000/)
      }
    })
    const records = await list()
    expect(bytesOf(records)).toBeLessThanOrEqual(zoneBytesMax)
    expect(bytesOf(records)).toBeGreaterThan(zoneBytesMax - 64_000)
  })

  it('lists and reloads long values without blocking the event loop', async () => {
    await expectNoGap(async () => {
      await list()
      // The change invalidates the cached list.
      expect(
        (await post(recordsPath, { type: 'A', host: `a${chance.integer(0, 1e9)}`, value: '192.0.2.1' }))?.status,
      ).toBe(200)
      await Promise.all([list(), list(), list()])
    })
    await expectNoGap(reload)
  })

  it('lists and reloads 10,000 records without blocking the event loop, and refuses an import beyond the limit', async () => {
    const file = join(place().cwd, 'zone.txt')
    const text = `v${String.raw`\\\"`.repeat(190)}`
    const lines = Array.from({ length: 10_000 }, (_, i) => `h${i} 300 IN TXT "${text}"`)
    await writeFile(file, `${lines.join('\n')}\n`)
    const run = () => svc(['dns', 'import', zone, file, '--replace'], place())
    expect(await run()).toMatchObject({ code: 0, stderr: expect.stringContaining('10000 records') as string })
    await expectNoGap(async () => {
      expect(await list()).toHaveLength(10_000)
      await reload()
    })

    const more = `${text}${'v'.repeat(50)}`
    await writeFile(file, `${lines.map((line) => line.replace(text, more)).join('\n')}\n`)
    expect(await run()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/bytes; the limit is 4000000/) as string,
    })
    expect(await list()).toHaveLength(10_000)
  })

  it('100 lists between changes need less than 150 MiB', async () => {
    const ids = (await list()).map(({ id }) => id)
    const before = await residentMiB()
    const headers = { 'content-type': 'application/json' }
    for (let round = 0; round < 20; round++) {
      const path = `${recordsPath}/${String(chance.pick(ids))}`
      const body = JSON.stringify({ ttl: 60 + chance.integer(0, 1000) })
      const lists = Array.from({ length: 5 }, () => send({ path: recordsPath, isTextDropped: true }))
      const answers = await Promise.all([send({ method: 'PATCH', path, headers, body }), ...lists])
      expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([200]))
    }
    const after = await residentMiB()
    expect(after - before).toBeLessThan(150)
  })

  it('exports, previews and imports 10,000 records in the console without blocking the event loop', async () => {
    const headers = { cookie: await accountSession(place(), 'ada@example.com'), origin: url() }
    const path = `${url()}/console/api/dns/zones/${zone}/zone-file`
    const sendFile = async (operation: string, text: string, replace: boolean) => {
      const answer = await fetch(`${path}/${operation}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ text, replace }),
      })
      return { status: answer.status, body: await answer.json() }
    }
    const others = Array.from({ length: 10_000 }, (_, i) => `other${i} 300 A 192.0.2.1`).join('\n')
    const replaced = { status: 200, body: { data: { created: 10_000, ttl_changed: 0, deleted: 10_000 } } }
    await expectNoGap(async () => {
      const file = await fetch(path, { headers })
      expect((await file.text()).match(/\tTXT\t/g)).toHaveLength(10_000)
    })
    await expectNoGap(async () => expect(await sendFile('preview', others, true)).toMatchObject(replaced))
    expect(await sendFile('import', others, true)).toMatchObject(replaced)
    for (const filler of ['\n', ' \n', ';\n', '(\n'])
      await expectNoGap(async () => {
        const text = filler.repeat(bodyBytes / (JSON.stringify(filler).length - 2))
        const { body } = await sendFile('preview', text, false)
        expect(JSON.stringify(body)).toMatch(/text has no records for|parenthes/)
      })
  })
})
