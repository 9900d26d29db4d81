import { unlimited } from '../../src/areas/account/tokens/limits.js'
import { tsigStore } from '../../src/areas/account/tokens/tsig-store.js'
import { secondaryStore } from '../../src/areas/dns/secondaries/store.js'
import { openVault } from '../../src/ports/vault/envelope-vault.js'
import { testVault } from '../app.js'
import type { Scene } from '../walk/scene.js'
import { unusedId, zone, type AreaParts, type SetUp } from './area-parts.js'

/** A record in a zone of the account. */
async function record(scene: Scene, account: Scene['owner']): Promise<{ zone: string; id: string }> {
  const params = await zone(scene, account)
  const made = await scene.call('POST', `/v1/dns/zones/${params.zone}/records`, {
    token: await scene.token(account, 'dns:write'),
    body: { type: 'A', host: 'www', value: '192.0.2.1' },
  })
  return { ...params, id: String(made.body['data'].id) }
}

const inZone: SetUp = {
  works: async (scene) => ({ params: await zone(scene, scene.owner) }),
  foreign: async (scene) => ({ params: await zone(scene, scene.stranger) }),
}

/** The path of an RRset in a zone. */
const addresses = { host: 'www', type: 'A' }

const onRecord: SetUp = {
  works: async (scene) => ({ params: await record(scene, scene.owner) }),
  foreign: async (scene) => ({ params: await record(scene, scene.stranger) }),
  missing: async (scene) => ({ params: { ...(await zone(scene, scene.owner)), id: String(unusedId) } }),
}

/** A zone, and the serial of the change that created its record. */
async function changed(scene: Scene, account: Scene['owner']): Promise<{ zone: string; serial: number }> {
  const params = await record(scene, account)
  const token = await scene.token(account, 'dns:read')
  const { body } = await scene.call('GET', `/v1/dns/zones/${params.zone}/history`, { token })
  return { zone: params.zone, serial: body['data'].changes[0].serial }
}

const inHistory: SetUp = {
  works: async (scene) => {
    const { zone: of, serial } = await changed(scene, scene.owner)
    return { params: { zone: of, serial: String(serial) } }
  },
  foreign: async (scene) => {
    const { zone: of, serial } = await changed(scene, scene.stranger)
    return { params: { zone: of, serial: String(serial) } }
  },
  missing: async (scene) => ({ params: { ...(await zone(scene, scene.owner)), serial: '1' } }),
}

const inRevert: SetUp = {
  works: async (scene) => {
    const { zone: of, serial } = await changed(scene, scene.owner)
    return { params: { zone: of }, body: { serial } }
  },
  foreign: async (scene) => {
    const { zone: of, serial } = await changed(scene, scene.stranger)
    return { params: { zone: of }, body: { serial } }
  },
  missing: async (scene) => ({ params: await zone(scene, scene.owner), body: { serial: 1 } }),
  isNeededEachTime: true,
}

/** The id of a key of the account that signs DNS messages. */
async function tsigKey(scene: Scene, account: Scene['owner']): Promise<number> {
  const { database } = scene.app
  const given = {
    ...unlimited,
    name: `secondary ${String(++keys)}`,
    scopes: ['dns:read'],
    algorithm: 'hmac-sha256',
  } as const
  return (await tsigStore(database, await openVault(testVault, database)).create(account, given)).id
}

/** A secondary of the account, and no other, because an account has a few at most. */
async function secondary(scene: Scene, account: Scene['owner']): Promise<{ id: string }> {
  const store = secondaryStore(scene.app.database)
  for (const { id } of await store.list(account)) await store.remove(account, id)
  const target = { address: '9.9.9.9', port: 53 }
  return { id: String((await store.add(account, target, await tsigKey(scene, account))).id) }
}

let keys = 0
let claims = 0

const recordRules = /^((type|host|value|ttl|priority)\b|The host and the zone |\S+ (already has|cannot have) )/

export const dnsParts: AreaParts = {
  setUps: {
    'dns.zoneClaim': {
      works: () => Promise.resolve({ body: { zone: `walk-claim-${String(++claims)}.com` } }),
      rules: /^(zone\b|\S+ has a \w+ claim of this account)/,
    },
    'dns.zoneGet': inZone,
    'dns.zoneVerify': inZone,
    'dns.zoneRelease': inZone,
    'dns.recordList': { ...inZone, rules: /^(host|name|The host and the zone) / },
    'dns.recordCreate': { ...inZone, rules: recordRules },
    'dns.delegation': inZone,
    'dns.zoneFileExport': inZone,
    'dns.zoneFilePreview': { ...inZone, rules: /^text\b/ },
    'dns.zoneFileImport': { ...inZone, rules: /^text\b/ },
    'dns.recordGet': onRecord,
    'dns.recordUpdate': { ...onRecord, rules: recordRules },
    'dns.recordDelete': onRecord,
    'dns.recordsBatch': {
      ...inZone,
      missing: async (scene) => ({
        params: await zone(scene, scene.owner),
        body: { changes: [{ delete: { id: unusedId } }] },
      }),
      rules: /^changes\[\d+\]\.(create|update|delete|replace)\.\w+/,
    },
    'dns.historyList': { ...inZone, rules: /^(host|The host and the zone) / },
    'dns.historyGet': inHistory,
    'dns.zoneQueries': inZone,
    'dns.secondaryCreate': {
      works: async (scene) => {
        await secondary(scene, scene.owner)
        return { body: { address: '9.9.9.10', key_id: await tsigKey(scene, scene.owner) } }
      },
      isNeededEachTime: true,
      rules: /^(address|port|key_id|The account has 8 secondaries)/,
    },
    'dns.secondaryDelete': {
      works: async (scene) => ({ params: await secondary(scene, scene.owner) }),
      foreign: async (scene) => ({ params: await secondary(scene, scene.stranger) }),
      missing: { params: { id: String(unusedId) } },
    },
    'dns.historyRevert': { ...inRevert, rules: /^(serial|to|if_serial)\b/ },
    'dns.rrsetReplace': {
      works: async (scene) => ({ params: { ...(await zone(scene, scene.owner)), ...addresses } }),
      foreign: async (scene) => ({ params: { ...(await zone(scene, scene.stranger)), ...addresses } }),
      rules: /^((host|values|ttl|priority)\b|The host and the zone |\S+ (already has|cannot have) )/,
    },
  },
  fill: async ({ api, name }) => {
    for (const zoneName of [`${name}.com`, `released-${name}.com`]) {
      await api('POST', '/dns/zones', { zone: zoneName })
      await api('POST', `/dns/zones/${zoneName}/records`, { type: 'A', host: 'www', value: '192.0.2.7' })
    }
    await api('DELETE', `/dns/zones/released-${name}.com`)
  },
}
