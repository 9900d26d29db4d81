import { encode } from 'dns-packet'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Journals } from '../embedded/zone-journal.js'
import { Catalog } from './catalog.js'
import { Members } from './members.js'

let catalog: Catalog
let serials: Map<string, number>
let isBroken: boolean
let attempts: number
const logged: string[] = []
const changed = vi.fn()

const catalogOf = (name: string) =>
  new Catalog({
    name,
    serialOf: async (digest) => {
      attempts++
      if (isBroken) throw new Error('The database is down.')
      serials.set(digest, serials.get(digest) ?? 100 + 5 * serials.size)
      return serials.get(digest) ?? 0
    },
    journals: new Journals(),
    onChange: changed,
    log: pino({ base: null }, { write: (line: string) => logged.push(line) }),
  })

beforeEach(() => {
  changed.mockReset()
  isBroken = false
  attempts = 0
  logged.length = 0
  serials = new Map()
  catalog = catalogOf('catalog.invalid')
})

afterEach(() => catalog.close())

const members = () =>
  new Map(
    catalog.zone
      ?.rrsets()
      .filter(({ type }) => type === 'PTR')
      .map(({ name, records }) => [records[0]?.value, name]),
  )
const published = (count: number) => vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(count))

describe('the catalog', () => {
  it('has its version and a record for each zone (RFC 9432, section 4)', async () => {
    catalog.set({ zone: 'one.test', owner: 1 })
    catalog.set({ zone: 'two.test', owner: 1 })
    catalog.start()
    await published(1)
    expect(catalog.zone?.serial).toBe(100)
    const sets = catalog.zone?.rrsets() ?? []
    expect(sets).toContainEqual({
      name: 'version.catalog.invalid',
      type: 'TXT',
      ttl: 0,
      records: [{ value: '2', priority: null }],
    })
    expect([...members().keys()].toSorted()).toEqual(['one.test', 'two.test'])
    for (const name of members().values()) expect(name).toMatch(/^[\da-f]{32}\.zones\.catalog\.invalid$/)
  })

  it('gets a new serial for added and removed zones, and one for many changes at once', async () => {
    catalog.set({ zone: 'one.test', owner: 1 })
    catalog.start()
    await published(1)
    for (let n = 0; n < 20; n++) catalog.set({ zone: `zone${n}.test`, owner: 1 })
    catalog.delete('one.test')
    await published(2)
    expect(catalog.zone?.serial).toBe(105)
    expect(members().size).toBe(20)
    expect(members().has('one.test')).toBe(false)
  })

  it('gives a zone of another account another label, and one that is loaded again the same', async () => {
    catalog.set({ zone: 'one.test', owner: 1 })
    catalog.start()
    await published(1)
    const before = members().get('one.test')
    catalog.set({ zone: 'one.test', owner: 1 })
    catalog.set({ zone: 'one.test', owner: 2 })
    await published(2)
    expect(members().get('one.test')).not.toBe(before)
    expect(members().size).toBe(1)
  })

  it('is published once the database works again, and the log has one line for many failures', async () => {
    isBroken = true
    catalog.set({ zone: 'one.test', owner: 1 })
    catalog.start()
    await vi.waitFor(() => expect(attempts).toBe(2), { timeout: 5000 })
    expect(catalog.zone).toBeUndefined()
    expect(logged).toHaveLength(1)
    isBroken = false
    await vi.waitFor(() => expect(members().size).toBe(1), { timeout: 5000 })
  })

  it('is not published without the zones whose records do not fit: secondaries would drop them', async () => {
    catalog = catalogOf(`${Array(4).fill('c'.repeat(55)).join('.')}.invalid`)
    catalog.set({ zone: 'one.test', owner: 1 })
    catalog.start()
    await vi.waitFor(() => expect(serials.size).toBe(1))
    await new Promise((done) => setTimeout(done, 1_300))
    expect(changed).not.toHaveBeenCalled()
    expect(catalog.zone).toBeUndefined()
  })

  it('answers for its SOA, and not for other zones', async () => {
    catalog.start()
    await published(1)
    const ask = (name: string) =>
      catalog.answer(encode({ type: 'query', id: 1, questions: [{ type: 'SOA', name }] }), { transport: 'udp' })
    expect(ask('catalog.invalid')?.readUInt16BE(6)).toBe(1)
    expect(ask('one.test')).toBeUndefined()
  })
})

describe('the digest of members', () => {
  it('is the same for the same members in any order, and another for others', () => {
    const [one, other] = [new Members(), new Members()]
    one.set({ zone: 'a.test', owner: 1 })
    one.set({ zone: 'b.test', owner: 2 })
    other.set({ zone: 'b.test', owner: 2 })
    other.set({ zone: 'c.test', owner: null })
    other.set({ zone: 'a.test', owner: 2 })
    other.set({ zone: 'a.test', owner: 1 })
    expect(one.digest).not.toBe(other.digest)
    other.delete('c.test')
    expect(one.digest).toBe(other.digest)
    expect([...other.zones].toSorted()).toEqual(['a.test', 'b.test'])
  })
})
