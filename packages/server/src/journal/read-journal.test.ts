import { describe, expect, it } from 'vitest'
import type { Database } from '../db/port.js'
import type { AccountEvent } from './event-store.js'
import { readJournal, type ReadEvent } from './read-journal.js'

const hourMs = 3_600_000

const read: ReadEvent = {
  accountId: 1,
  area: 'cred',
  action: 'credential_read',
  object: 'a.example',
  actor: { kind: 'token', id: 7, name: 'deploy', requestId: 'req_1', ip: '192.0.2.1' },
  after: { count: 1 },
  state: '1',
}

/** A journal with a clock and a database of the test. */
function journal() {
  const written: (AccountEvent & { readonly since: number })[] = []
  const place = { now: 1_000, isFailing: false, written }
  const write = async (_unit: unknown, event: AccountEvent) => {
    await Promise.resolve()
    if (place.isFailing) throw new Error('disk full')
    written.push({ ...event, since: place.now })
  }
  const { note } = readJournal({ write: write as Database['write'] }, () => place.now)
  return Object.assign(place, { note })
}

describe('the journal of reads', () => {
  it('writes a repeated read once an hour', async () => {
    const place = journal()
    for (const minutes of [0, 1, 59, 60, 61, 119, 120]) {
      place.now = 1_000 + minutes * 60_000
      await place.note(read)
    }
    expect(place.written.map(({ since }) => (since - 1_000) / hourMs)).toEqual([0, 1, 2])
  })

  it('writes a read that differs in its reader, network, object, fields or what was read', async () => {
    const place = journal()
    const { actor } = read
    const others: Partial<ReadEvent>[] = [
      { accountId: 2 },
      { object: 'b.example' },
      { after: { count: 2 } },
      { state: '2' },
      { actor: { ...actor, id: 8 } },
      { actor: { ...actor, ip: '198.51.100.1' } },
      { actor: { ...actor, kind: 'session', id: null, name: 'console' } },
    ]
    for (const other of [{}, ...others, ...others]) await place.note({ ...read, ...other })
    await place.note({ ...read, actor: { ...actor, requestId: 'req_2', ip: '192.0.2.200' } })
    expect(place.written).toHaveLength(8)
  })

  it('reads at the same time wait for the one event, and each fails if it is not written', async () => {
    const place = journal()
    const together = () => Promise.allSettled(Array.from({ length: 3 }, () => place.note(read)))
    place.isFailing = true
    expect((await together()).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    place.isFailing = false
    expect((await together()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    expect(place.written).toHaveLength(1)
  })

  it('forgets the oldest of more than 10,000 reads, and writes it again', async () => {
    const place = journal()
    for (let i = 0; i <= 10_000; i++) await place.note({ ...read, object: String(i) })
    await place.note({ ...read, object: '10000' })
    expect(place.written).toHaveLength(10_001)
    await place.note({ ...read, object: '0' })
    expect(place.written).toHaveLength(10_002)
  })
})
