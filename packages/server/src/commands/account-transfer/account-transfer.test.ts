import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freshPostgres } from '../../../../../test/servers/index.js'
import { accountMoves, portsOf } from '../../../test/account-moves.js'
import { ask } from '../../../test/dns-ask.js'
import { fillAccount } from '../../../test/full-account.js'
import { runSql } from '../../../test/site.js'
import { getPage } from '../../../test/site-host.js'
import { entries, openScene, type Scene } from '../../../test/walk/scene.js'
import { accountStore } from '../../areas/account/accounts/store.js'
import { unlimited } from '../../areas/account/tokens/limits.js'
import { tokenStore } from '../../areas/account/tokens/store.js'
import type { Config } from '../../config/config.js'
import { exportedRows, tableNames } from '../../app/tables.js'
import type { TableName } from '../../db/table-declaration.js'
import type { Account } from '../../shared/account.js'
import { assignZone } from '../dns.js'
import { withDatabase } from '../with-database.js'

const { onSqlite, installation, exportTo, importFrom, rowsIn } = accountMoves()

const lookUp = async (port: number, name: string) => (await ask(port, name, 'A')).answers.map(({ value }) => value)

const pendingClaim =
  /^The claim on (\S+) is pending: another account or the operator has the zone\. The TXT record _svcdns-verify\.\1 with the value [\w-]{32} proves it; svc dns assign \1 \S+ gives it to the account without a proof\.$/

/** An answer without ids, and without the address of the server. */
const comparable = (text: string, scene: Scene) =>
  text
    .replaceAll(/"(request_id|previous_id|next)":"[^"]*"/g, '')
    .replaceAll(/"(id|\w+_id|version|last_used_at)":(\d+|"[^"]*")/g, '')
    .replaceAll(`:${new URL(scene.url).port}`, '')

/** Waits for the first attempt of a delivery and the look-up of a domain. Afterwards the rows stay as they are. */
async function workDone({ database }: Config): Promise<void> {
  const done = 'select attempts, synced_at > 0 as synced from webhook_delivery, domain'
  await vi.waitFor(async () => expect(await runSql(database, done)).toEqual([{ attempts: 1, synced: 1 }]), 10_000)
  await runSql(database, 'update webhook_delivery set due_at = 9000000000000')
}

describe('an account with everything', () => {
  let source: Config
  let target: Config
  let old: Scene
  let moved: Scene
  let owner: Account
  let [key, token, updateKey] = ['', '', '']
  beforeAll(async () => {
    source = onSqlite('source')
    target = installation('target', { kind: 'postgres', url: await freshPostgres() })
    old = await openScene('sqlite', { ...portsOf(source), acme: undefined })
    moved = await openScene('sqlite', { ...portsOf(target), acme: undefined })
    owner = old.owner
    await fillAccount(old, source.database, owner, 'moved')
    await workDone(source)
    token = await old.token(owner, '*')
    const rules = [{ kind: 'zone', name: 'example.com', hosts: ['www'], types: ['A'], access: 'write' }] as const
    const withKey = { ...unlimited, rules, hasUpdateKey: true }
    updateKey = (await tokenStore(old.app.database).create(owner, 'with rules', ['*'], withKey)).updateKey ?? ''
    key = await exportTo('source.svc', source, owner.email)
  })
  afterAll(() => Promise.all([old.stop(), moved.stop()]))

  it('an account with everything has rows in every table', async () => {
    const rows = await rowsIn('source.svc', source, key)
    const isExported = (table: TableName) => exportedRows(table, 1, 'sqlite') !== undefined
    expect(Object.keys(rows).toSorted()).toEqual(tableNames.filter(isExported).toSorted())
  })

  it('is the same on PostgreSQL, and back on SQLite, except for its ids', async () => {
    expect((await importFrom('source.svc', target, key)).changes).toEqual([])
    // The running server looks up the imported domain within seconds. Its registrar and expiry date become known: a new revision.
    const unsynced = 'select name from domain where synced_at is null'
    await expect.poll(() => runSql(target.database, unsynced), { timeout: 15_000 }).toEqual([])
    const onPostgres = await exportTo('target.svc', target, owner.email)
    const back = onSqlite('back')
    expect((await importFrom('target.svc', back, onPostgres)).changes).toEqual([])
    const onSqliteAgain = await exportTo('back.svc', back, owner.email)

    const before = await rowsIn('source.svc', source, key)
    const [use] = before['storage_use'] as { bytes: number; objects: number }[]
    const withoutUpload = { ...use, uploads: 0, bytes: Number(use?.bytes) - 5, objects: Number(use?.objects) - 1 }
    const [domain] = before['domain'] as { revision: number }[]
    const synced = { ...domain, revision: Number(domain?.revision) + 1 }
    const [webhook] = before['account_webhook'] as object[]
    // It gets the events of the installation that it is in.
    const begun = { ...webhook, begins_after: expect.any(Number) as number }
    const expected = { ...before, storage_use: [withoutUpload], domain: [synced], account_webhook: [begun] }
    expect(await rowsIn('target.svc', target, onPostgres)).toEqual(expected)
    expect(await rowsIn('back.svc', back, onSqliteAgain)).toEqual(expected)
  })

  it('answers the same to its old token, also for files, sites and links', async () => {
    const lists = entries.filter(({ op, path, door }) => {
      const isConsoleOnly = door === 'console' && path.startsWith('/console')
      // Sessions, events, their deliveries and unfinished uploads are not moved, and an installation has its own registry data and times of claims.
      const others = [
        'account.sessionList',
        'account.eventList',
        'account.webhookList',
        'events.stream',
        'files.uploadList',
        'files.usage',
        'whois.lookup',
        'domains.list',
        'dns.zoneList',
      ]
      if (others.includes(op.id)) return false
      return op.method === 'GET' && typeof op.access === 'object' && !isConsoleOnly && !path.includes('{')
    })
    const answersOf = async (scene: Scene) => {
      const answers: Record<string, unknown> = {}
      const get = async (path: string) => scene.call('GET', path, { token })
      for (const { path, op } of lists) {
        const query = new URLSearchParams(op.example.query as Record<string, string>).toString()
        answers[op.id] = op.id === 'files.download' ? '' : comparable((await get(`${path}?${query}`)).text, scene)
      }
      const { files } = (await get('/v1/files?limit=100')).body['data']
      for (const { id, name, share_url: link } of files as { id: number; name: string; share_url: string | null }[]) {
        const { text, status } = await get(`/v1/files/download?id=${id}`)
        const shared = link && (await getPage(scene.url, 'content.localhost', new URL(link).pathname)).text
        answers[name] = [status, createHash('sha256').update(text).digest('hex'), shared === null || shared === text]
      }
      const page = await getPage(scene.url, 'moved.localhost', '/')
      const served = await lookUp(scene.dnsPort, 'www.released-moved.com')
      const updated = await (await fetch(`${scene.url}/u/${updateKey}`)).text()
      return { ...answers, page: [page.status, page.text], served, updated }
    }
    const expected = await answersOf(old)
    expect(expected).toMatchObject({ page: [200, 'two'], served: ['192.0.2.7'], updated: 'nohost\n' })
    expect(Object.keys(expected).length).toBeGreaterThan(12)
    expect(await answersOf(moved)).toEqual(expected)
  })

  it('a zone that the operator keeps is pending with a new challenge, and its records wait', async () => {
    const config = { ...onSqlite('operators'), publicUrl: 'https://svc.moved.com' }
    const { changes, zones } = await importFrom('source.svc', config, key)
    expect(changes).toEqual([
      expect.stringMatching(pendingClaim),
      'The records of moved.com (1) are kept, and served when the account verifies the zone.',
    ])
    expect(zones).not.toContain('moved.com')
    expect(zones).toContain('released-moved.com')
    const zone = `select holder_id, deleted_at > 0 as deleted from dns_zone where name = 'moved.com'`
    expect(await runSql(config.database, zone)).toEqual([{ holder_id: null, deleted: 1 }])
    await assignZone(config, 'moved.com', owner.email)
    const served = `select host from dns_record join dns_zone on dns_zone.id = zone_id and holder_id = account_id and deleted_at is null
      where name = 'moved.com'`
    expect(await runSql(config.database, served)).toEqual([{ host: 'www' }])
  })

  it('serves its zones again where the operator has deleted them', async () => {
    const config = onSqlite('deleted')
    await withDatabase(config.database, () => Promise.resolve())
    const deleted = (name: string) => `('${name}', 4000000000, 1, 9, 0, 1)`
    await runSql(
      config.database,
      `insert into dns_zone (name, serial, version, last_record_id, content_bytes, deleted_at)
        values ${deleted('moved.com')}, ${deleted('released-moved.com')}`,
    )
    await importFrom('source.svc', config, key)
    const zones = await runSql(
      config.database,
      `select name, serial, deleted_at, holder_id is null as unheld from dns_zone
        where name in ('moved.com', 'released-moved.com') order by name`,
    )
    const served = { serial: 4_000_000_001, deleted_at: null, unheld: 0 }
    expect(zones).toEqual(['moved.com', 'released-moved.com'].map((name) => ({ name, ...served })))
  })

  it('in its own installation: gets other names and links, keeps its records, and names each change', async () => {
    const { changes, zones } = await importFrom('source.svc', source, key, 'second@example.com')
    expect(zones).toEqual([])
    const kinds = [
      pendingClaim,
      /^The records of \S+ \(\d+\) are kept, and served when the account verifies the zone\.$/,
      /^The records of \S+ have new ids\.$/,
      /^The site (\S+) is renamed to \1-2: its name is taken here\.$/,
      /^The package (\S+) is renamed to \1-2: its name is taken here\.$/,
      /^The file \d+ \([^)]*\) has a new share link: its link is taken here\.$/,
      /^The (form|webhook|shortlink) \d+ has a new address: its address is taken here\.$/,
      /^The token svc_\S+… \([^)]+\) is left out: it exists in this installation\.$/,
      /^The forwarder key \S+… \(signed\) is left out: it exists in this installation\.$/,
      /^The domain www\.moved\.org of a site is left out: it exists in this installation\.$/,
      /^The address of the calendar is left out: it exists in this installation\.$/,
    ]
    for (const kind of kinds) expect(changes, String(kind)).toContainEqual(expect.stringMatching(kind))
    for (const change of changes)
      expect(
        kinds.some((kind) => kind.test(change)),
        change,
      ).toBe(true)

    const second = await accountStore(old.app.database).byEmail('second@example.com')
    const slugs = (table: string) =>
      runSql(source.database, `select slug from ${table} where account_id = ${String(second?.id)} order by slug`)
    expect(await slugs('deployment_slug')).toEqual(await slugs('deployment'))
    expect(await slugs('deployment_slug')).not.toEqual([])
    const read = await old.token(second as Account, '*')
    const get = async (path: string) => (await old.call('GET', path, { token: read })).body['data']
    expect((await get('/v1/cred')).credentials).toMatchObject([{ secret: 'correct horse battery staple' }])
    expect((await get('/v1/account/webhooks')).webhooks).toMatchObject([
      { url: 'https://hooks.example.com/svc', events: ['account.token_create', 'dns'], dropped: 0 },
    ])
    const later = `select id from account_webhook where account_id = ${String(second?.id)} and begins_after > 0`
    expect(await runSql(source.database, later)).toHaveLength(1)
    expect((await get('/v1/sms/messages')).messages).toMatchObject([{ body: 'hello' }])
    expect(await lookUp(old.dnsPort, 'www.moved.com')).toEqual(['192.0.2.7'])
    await assignZone(source, 'moved.com', 'second@example.com')
    expect((await get('/v1/dns/zones/moved.com/records')).records).toMatchObject([{ id: 2, host: 'www' }])
    expect((await getPage(old.url, 'moved-2.localhost', '/')).text).toBe('two')
  })
})
