import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { svc } from '../../packages/cli/test/svc.js'
import { databaseKinds } from '../../packages/server/test/app.js'
import { guardedServer, recordsPath, zone } from './guarded-server.js'

/** Large zones and floods of sign-ins do not block the event loop. */

describe.each(databaseKinds)('on %s', (kind) => {
  const { place, url, send, post, expectNoGap } = guardedServer(kind)

  it('importing, listing, changing and reloading a zone of 10,000 records and megabytes of text does not block the event loop', async () => {
    const file = join(place().cwd, 'zone.txt')
    const lines = Array.from({ length: 9_500 }, (_, i) => `host${i} 300 IN TXT "${'x'.repeat(300)}"`)
    await writeFile(file, `${lines.join('\n')}\n`)
    await expectNoGap(async () => {
      const { code, stderr } = await svc(['dns', 'import', zone, file, '--replace'], place())
      expect(stderr).toContain('9500 records')
      expect(code).toBe(0)
    })
    for (let i = 0; i < 3; i++) {
      await expectNoGap(async () => {
        expect((await send({ path: recordsPath, isTextDropped: true }))?.status).toBe(200)
        expect((await post(recordsPath, { type: 'A', host: `extra${i}`, value: '192.0.2.1' }))?.status).toBe(200)
        expect((await send({ path: `${recordsPath}?type=TXT`, isTextDropped: true }))?.status).toBe(200)
      })
    }
  })

  it('60 parallel sign-ins do not block the event loop', async () => {
    const headers = { origin: url() }
    const credentials = (i: number) => ({ email: `unknown${i}@example.com`, password: 'the wrong password' })
    await expectNoGap(() =>
      Promise.all(Array.from({ length: 60 }, (_, i) => post('/console/api/session/sign-in', credentials(i), headers))),
    )
  })
})
