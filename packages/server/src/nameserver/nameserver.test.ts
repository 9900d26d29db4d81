import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { ask } from '../../test/dns-ask.js'
import { address, catalogName, catalogRecords, nameserver as ns, soa } from '../../test/fake-primary.js'
import { FarSite } from '../../test/far-site.js'

const site = new FarSite()

describe('a far nameserver', () => {
  it('serves the zones of the catalog as the primary does', async () => {
    site.setCatalog(1, { a: 'example.test', b: 'other.test' })
    site.setZone('example.test', 5, '192.0.2.1')
    site.setZone('other.test', 6, '192.0.2.2')
    await site.start()
    await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.1')
    await expect.poll(() => site.resolved('www.other.test')).toBe('192.0.2.2')
    expect(await site.resolved('www.unknown.test')).toBe('REFUSED')
    // The catalog is not public.
    expect((await ask(site.port, catalogName, 'SOA')).rcode).toBe('REFUSED')
    const apex = await ask(site.port, 'example.test', 'SOA')
    expect(apex.answers.map(({ value }) => value)).toEqual(['ns1.test hostmaster.test 5 3600 1 3600 60'])
    expect((await ask(site.port, 'example.test', 'NS')).answers.map(({ value }) => value)).toEqual(['ns1.test'])
    const negative = await ask(site.port, 'missing.example.test', 'A')
    expect([negative.rcode, negative.authority[0]?.ttl]).toEqual(['NXDOMAIN', 60])
    expect(await site.status('/healthz')).toMatchObject({ status: 200 })
  })

  it('follows a NOTIFY by an incremental transfer', async () => {
    site.setCatalog(1, { a: 'example.test' })
    site.setZone('example.test', 5, '192.0.2.1')
    await site.start()
    await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.1')
    site.setZone('example.test', 7, '192.0.2.9', {
      changesFrom: () => [
        soa('example.test', 5),
        address('www.example.test', '192.0.2.1'),
        soa('example.test', 6),
        address('www.example.test', '192.0.2.8'),
        soa('example.test', 6),
        address('www.example.test', '192.0.2.8'),
        soa('example.test', 7),
        address('www.example.test', '192.0.2.9'),
      ],
    })
    site.primary.asked.length = 0
    expect(await site.notify('example.test')).toBe(0)
    await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.9')
    expect(site.primary.asked).toEqual(['SOA example.test udp', 'IXFR example.test'])
    expect(await site.notify('unknown.test')).toBe(9)
  })

  it('transfers the whole zone when an incremental transfer does not fit', async () => {
    site.setCatalog(1, { a: 'example.test' })
    site.setZone('example.test', 5, '192.0.2.1')
    await site.start()
    await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.1')
    const wrong = [
      // From another serial, with a record that is not there, and with serials that fall.
      [soa('example.test', 4), soa('example.test', 6)],
      [soa('example.test', 5), address('gone.example.test', '192.0.2.1'), soa('example.test', 6)],
      [soa('example.test', 5), soa('example.test', 4), soa('example.test', 4), soa('example.test', 6)],
    ]
    for (const [n, changes] of wrong.entries()) {
      site.setZone('example.test', 6 + n, `192.0.2.${String(10 + n)}`, { changesFrom: () => changes })
      site.primary.asked.length = 0
      await site.notify('example.test')
      await expect.poll(() => site.resolved('www.example.test')).toBe(`192.0.2.${String(10 + n)}`)
      expect(site.primary.asked.slice(-2)).toEqual(['IXFR example.test', 'AXFR example.test'])
    }
  })

  it('adds and removes zones as the catalog does, and transfers one with a new label anew', async () => {
    site.setCatalog(1, { a: 'example.test', b: 'other.test' })
    site.setZone('example.test', 5, '192.0.2.1')
    site.setZone('other.test', 6, '192.0.2.2')
    await site.start()
    await expect.poll(() => site.resolved('www.other.test')).toBe('192.0.2.2')
    // A lower serial: only a copy of another zone can have it.
    site.setZone('example.test', 2, '192.0.2.7')
    site.setZone('new.test', 1, '192.0.2.3')
    site.setCatalog(2, { z: 'example.test', n: 'new.test' })
    await site.notify(catalogName)
    await expect.poll(() => site.resolved('www.new.test')).toBe('192.0.2.3')
    await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.7')
    expect(await site.resolved('www.other.test')).toBe('REFUSED')
    await expect.poll(() => readdir(join(site.data, 'zones'))).not.toContain('other.test.zone')
  })

  it.each([
    ['no version', [], { a: 'example.test' }],
    ['another version', ['1'], { a: 'example.test' }],
    ['two versions', ['1', '2'], { a: 'example.test' }],
    ['a zone twice', ['2'], { a: 'example.test', b: 'example.test' }],
  ])('keeps the last good catalog when the next one has %s', async (_, version, members) => {
    site.setCatalog(1, { a: 'kept.test' })
    site.setZone('kept.test', 5, '192.0.2.1')
    site.setZone('example.test', 5, '192.0.2.2')
    await site.start()
    await expect.poll(() => site.resolved('www.kept.test')).toBe('192.0.2.1')
    site.setCatalog(2, members, version)
    await site.notify(catalogName)
    await expect.poll(async () => (await site.status('/healthz')).text).toContain('The ')
    expect(await site.resolved('www.kept.test')).toBe('192.0.2.1')
    expect(await site.resolved('www.example.test')).toBe('REFUSED')
    // Also after a restart without the site.primary.
    await site.far?.close()
    await site.primary.close()
    await site.start()
    expect(await site.resolved('www.kept.test')).toBe('192.0.2.1')
    await site.primary.open()
    site.setCatalog(3, { a: 'example.test' })
    await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.2')
  })

  it('leaves out records outside the zone, of other classes, and SOAs below the apex', async () => {
    site.setCatalog(1, { a: 'example.test' })
    const stray = { ...address('www.example.test', '192.0.2.66'), class: 'CH' } as const
    site.setZone('example.test', 5, '192.0.2.1', {
      records: [
        ns('example.test'),
        address('www.example.test', '192.0.2.1'),
        address('www.victim.test', '192.0.2.66'),
        address('xexample.test', '192.0.2.66'),
        soa('sub.example.test', 9),
        stray,
      ],
    })
    await site.start()
    await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.1')
    expect((await ask(site.port, 'www.example.test', 'A')).answers).toHaveLength(1)
    expect(await site.resolved('www.victim.test')).toBe('REFUSED')
    expect(await site.resolved('sub.example.test')).toBe('NXDOMAIN')
  })

  it('serves types that svc does not manage as they are', async () => {
    site.setCatalog(1, { a: 'example.test' })
    site.setZone('example.test', 5, '192.0.2.1', {
      records: [
        ns('example.test'),
        { type: 'UNKNOWN_65280' as 'NULL', name: 'x.example.test', ttl: 60, data: Buffer.from('abc') },
      ],
    })
    await site.start()
    await expect.poll(async () => (await ask(site.port, 'x.example.test', 'UNKNOWN_65280')).answers).toHaveLength(1)
  })
})

describe('a disk that fails', () => {
  it('keeps no part of a copy that could not be saved, and holds up no other copy', async () => {
    site.setCatalog(1, { a: 'example.test', b: 'other.test' })
    site.setZone('example.test', 5, '192.0.2.1')
    site.setZone('other.test', 5, '192.0.2.2')
    // A folder in place of the file: the rename fails.
    await mkdir(join(site.data, 'zones', 'example.test.zone', 'x'), { recursive: true })
    const problems: string[] = []
    const log = pino({ level: 'error' }, { write: (line: string) => problems.push(line) })
    await site.start({ log })
    await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.1')
    await expect.poll(() => site.resolved('www.other.test')).toBe('192.0.2.2')
    await expect.poll(() => problems.join('')).toContain('copies of zones cannot be saved')
    // A stop saves the other copies at once, without the pause after a failure.
    await site.far?.close()
    site.far = undefined
    const saved = await readdir(join(site.data, 'zones'))
    expect(saved.toSorted()).toEqual([`${catalogName}.zone`, 'example.test.zone', 'other.test.zone'].toSorted())
  })
})

describe('without the primary', () => {
  it('a restarted nameserver serves the saved copies until they expire', async () => {
    site.setCatalog(1, { a: 'example.test', b: 'short.test' })
    site.setZone('example.test', 5, '192.0.2.1')
    site.setZone('short.test', 5, '192.0.2.2', { times: { expire: 2 } })
    await site.start()
    await expect.poll(() => readdir(join(site.data, 'zones'))).toHaveLength(3)
    await site.far?.close()
    await site.primary.close()
    await site.start()
    expect(await site.resolved('www.example.test')).toBe('192.0.2.1')
    await expect.poll(() => site.resolved('www.short.test')).toBe('SERVFAIL')
    expect(await site.resolved('www.example.test')).toBe('192.0.2.1')
    expect(JSON.parse((await site.status('/healthz')).text)).toMatchObject({ zones: { total: 2, expired: 1 } })
    // Asks again within the SOA's retry time, one second.
    await site.primary.open()
    await expect.poll(() => site.resolved('www.short.test')).toBe('192.0.2.2')
  })

  it('/healthz answers 503 until there is a catalog, and once it has expired', async () => {
    await site.start()
    expect(await site.status('/healthz')).toMatchObject({ status: 503 })
    site.primary.zones.set(catalogName, { serial: 1, records: catalogRecords({}), times: { expire: 2 } })
    await expect.poll(async () => (await site.status('/healthz')).status).toBe(200)
    await site.primary.close()
    await expect.poll(async () => (await site.status('/healthz')).status).toBe(503)
    await site.primary.open()
  })

  it('a damaged copy is left out, and transferred anew', async () => {
    site.setCatalog(1, { a: 'example.test', b: 'other.test' })
    site.setZone('example.test', 5, '192.0.2.1')
    site.setZone('other.test', 5, '192.0.2.2')
    await site.start()
    await expect.poll(() => readdir(join(site.data, 'zones'))).toHaveLength(3)
    await site.far?.close()
    const path = join(site.data, 'zones', 'example.test.zone')
    const file = await readFile(path)
    file[file.length - 1]! ^= 1
    await writeFile(path, file)
    await site.primary.close()
    await site.start()
    expect(await site.resolved('www.example.test')).toBe('SERVFAIL')
    expect(await site.resolved('www.other.test')).toBe('192.0.2.2')
    await site.primary.open()
    await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.1')
  })

  it('all other zones stay when the copy of the catalog cannot be followed', async () => {
    site.setCatalog(1, { a: 'example.test' })
    site.setZone('example.test', 5, '192.0.2.1')
    await site.start()
    await expect.poll(() => readdir(join(site.data, 'zones'))).toHaveLength(2)
    await site.far?.close()
    // A save that the disk has delayed writes the latest catalog, which may be broken.
    const path = join(site.data, 'zones', `${catalogName}.zone`)
    const file = await readFile(path)
    const body = 'svc zone 1\n'.length + 32
    file.write('\x013', file.indexOf('\x012', body, 'latin1'), 'latin1')
    createHash('sha256')
      .update(file.subarray(body))
      .digest()
      .copy(file, body - 32)
    await writeFile(path, file)
    await site.primary.close()
    await site.start()
    expect(await site.resolved('www.example.test')).toBe('192.0.2.1')
    expect((await site.status('/healthz')).text).toContain('The catalog has the version')
    expect(await readdir(join(site.data, 'zones'))).toHaveLength(2)
    await site.primary.open()
    site.setCatalog(2, { b: 'example.test' })
    site.setZone('example.test', 1, '192.0.2.2')
    await expect.poll(() => site.resolved('www.example.test')).toBe('192.0.2.2')
  })

  it('all other zones stay when the copy of the catalog is damaged', async () => {
    site.setCatalog(1, { a: 'example.test' })
    site.setZone('example.test', 5, '192.0.2.1')
    await site.start()
    await expect.poll(() => readdir(join(site.data, 'zones'))).toHaveLength(2)
    await site.far?.close()
    await writeFile(join(site.data, 'zones', `${catalogName}.zone`), 'svc zone 1\nbroken')
    await site.primary.close()
    await site.start()
    expect(await site.resolved('www.example.test')).toBe('192.0.2.1')
    await site.primary.open()
  })
})
