import { Buffer } from 'node:buffer'
import { expect, vi } from 'vitest'
import { runSql } from './site.js'
import { send } from './raw-http.js'
import { deploySite } from './site-host.js'
import { entries, type Scene } from './walk/scene.js'
import { setUps } from './walk/set-ups.js'
import type { DatabaseConfig } from '../src/db/connect.js'

/** Operations whose examples, with their set-ups, create rows. */
const filling = [
  ...['account.profileUpdate', 'cred.store', 'dns.recordCreate', 'files.upload', 'sites.domainAdd', 'packages.publish'],
  ...[
    'deployments.create',
    'deployments.submissions',
    'webhooks.requests',
    'domains.annotate',
    'domains.calendarCreate',
  ],
]

/** Bytes that are stored as an object. */
const largeContent = Buffer.alloc(300_000, 'large')

/**
 * Gives the owner of a scene rows in every table, with the examples of the contract. For one account on each server: its names are fixed.
 * `fullAccount` in account-in-all-areas.ts creates accounts with different names, and returns what the test deletes.
 */
export async function fillAccount(scene: Scene, database: DatabaseConfig): Promise<void> {
  for (const id of filling) {
    const entry = entries.find(({ op }) => op.id === id)
    if (entry === undefined) throw new Error(`There is no operation ${id}.`)
    const { params, query, body } = entry.op.example
    const call = { params, query, body, ...(await setUps[id]?.works?.(scene)) }
    const answer = await scene.send(entry, call, await scene.credentials(entry.door, scene.owner))
    if (answer.status !== 200) throw new Error(`${id}: ${answer.text}`)
  }
  await fillMore(scene)
  await vi.waitFor(async () => {
    const done = 'select attempts, synced_at > 0 as synced from webhook_delivery, domain'
    expect(await runSql(database, done)).toEqual([{ attempts: 1, synced: 1 }])
  }, 10_000)
  // No server tries again: the rows stay as they are.
  await runSql(database, 'update webhook_delivery set due_at = 9000000000000')
  // No job looks at the objects of sites: they stay as they are.
  await runSql(database, 'delete from site_compaction')
  await runSql(
    database,
    'insert into site_compaction select distinct blob_key, account_id, 9000000000000 from site_content',
  )
  await runSql(database, 'insert into file_traffic select id, 3, 2, 1, 1000 from file where share_key is not null')
  await runSql(database, 'insert into file_traffic_day select file_id, 20780, 3, 2, 1, 1000 from file_traffic')
  await runSql(database, 'insert into account_traffic_day select distinct account_id, 20780, 6, 4, 2, 2000 from file')
}

/** What the examples leave out: an object, an open upload, versions of a site, a released zone, messages of a revoked key. */
async function fillMore(scene: Scene): Promise<void> {
  const token = await scene.token(scene.owner, '*')
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await scene.call(method, path, { token, body })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`)
    return answer.body['data']
  }
  await call('POST', '/v1/files/upload', { name: 'a.bin', content: largeContent.toString('base64'), shared: true })
  await call('POST', '/v1/files/upload-chunk', { index: 0, content: 'aGVsbG8=' })
  for (const text of ['one', 'two'])
    await deploySite(scene.url, token, 'moved', { 'index.html': text, 'a.txt': 'a'.repeat(5000) })
  for (const zone of ['moved.com', 'released.com']) {
    await call('POST', '/v1/dns/zones', { zone })
    await call('POST', `/v1/dns/zones/${zone}/records`, { type: 'A', host: 'www', value: '192.0.2.7' })
  }
  await call('DELETE', '/v1/dns/zones/released.com')
  await call('POST', '/v1/sms/keys', { label: 'signed', signing_key: 'k8Yz2QpW' })
  const { id, key } = await call('POST', '/v1/sms/keys', { label: 'revoked' })
  const headers = { 'content-type': 'application/json' }
  await send(scene.url, 'POST', `/sms/${key}`, { headers, body: JSON.stringify({ from: '+491701', text: 'hello' }) })
  await call('DELETE', `/v1/sms/keys?id=${id}`)
}
