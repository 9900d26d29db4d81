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
