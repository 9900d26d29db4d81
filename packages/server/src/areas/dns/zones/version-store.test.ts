import { expect, it } from 'vitest'
import type { Transaction } from '../../../db/port.js'
import { sessionActor } from '../../../shared/actor.js'
import { advanceZone, nextSerial } from './version-store.js'

it.each([
  [1, 2],
  [1_795_167_000, 1_795_167_001],
  [0xffff_fffe, 0xffff_ffff],
  [0xffff_ffff, 1],
])('the serial after %d is %d', (serial, next) => {
  expect(nextSerial(serial)).toBe(next)
})

it('on SQLite, a change writes the zone, its row in the history and its event with a statement each', async () => {
  const sent: unknown[] = []
  const tx = { dialect: 'sqlite', send: (_: unknown, p: unknown) => sent.push(p) } as unknown as Transaction
  const change = { zone: 'example.com', zoneId: 3, accountId: 5, serial: 7, removed: [], added: [], growth: 0 }
  const terms = { actor: sessionActor, created: 0, now: '2026-11-27T00:00:00.000Z', pause: async () => undefined }
  expect(await advanceZone(tx, change, terms)).toBe(8)
  expect(sent).toMatchObject([
    { zoneId: 3, serial: 8 },
    { zoneId: 3, serial: 8, kind: 'session' },
    { zoneId: 3, serial: 8, accountId: 5 },
  ])
})
