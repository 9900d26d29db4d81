import { areas } from '@svc/contract'
import { domainStore } from '../../src/areas/sites/domains/store.js'
import { siteReadStore } from '../../src/areas/sites/sites/read-store.js'
import { deploySite } from '../site-host.js'
import type { Scene } from '../walk/scene.js'
import { unusedId, zone, type AreaParts } from './area-parts.js'

let sites = 0

async function deploy(scene: Scene, account: Scene['owner'], name: string): Promise<void> {
  const { body } = areas.sites.deploy.example
  const token = await scene.token(account, 'sites:write')
  await scene.call('POST', '/v1/sites/deploy', { token, body: { ...body, name } })
}

/** A site of the account, with one version. */
async function site(scene: Scene, account: Scene['owner']): Promise<{ name: string; version: number }> {
  const name = `walk-${++sites}`
  await deploy(scene, account, name)
  const kept = await siteReadStore(scene.app.database, noSiteLimits).versions(account, name)
  return { name, version: kept.site.versionId }
}

/** A site of the account that serves its second version. @returns the input of a restore of the first one */
async function siteOfTwo(scene: Scene, account: Scene['owner']): Promise<{ name: string; version: number }> {
  const first = await site(scene, account)
  await deploy(scene, account, first.name)
  return first
}

/** A host of a site of the account, in a zone of the account. */
async function domain(scene: Scene, account: Scene['owner']): Promise<{ name: string; host: string }> {
  const { name } = await site(scene, account)
  const made = await zone(scene, account)
  return { name, host: `www.${made.zone}` }
}

/** The same, served. @returns the input of a removal */
async function servedHost(scene: Scene, account: Scene['owner']): Promise<{ host: string }> {
  const { name, host } = await domain(scene, account)
  await domainStore(scene.app.database).reserve(account, name, { host, zone: host.slice('www.'.length) }, [])
  return { host }
}

const noSiteLimits = { sitesMax: 100, siteBytesMax: 0, siteFilesMax: 1, bytesMax: 0 }

export const siteParts: AreaParts = {
  setUps: {
    'sites.deploy': {
      foreign: async (scene) => {
        const { name } = await site(scene, scene.stranger)
        return { body: { ...areas.sites.deploy.example.body, name } }
      },
      rules: /^(archive\b|content is reserved|The account has \d+ sites)/,
    },
    'sites.delete': {
      works: async (scene) => ({ body: { name: (await site(scene, scene.owner)).name } }),
      foreign: async (scene) => ({ body: { name: (await site(scene, scene.stranger)).name } }),
      missing: { body: { name: 'walk-none' } },
    },
    'sites.versions': {
      works: async (scene) => ({ query: { name: (await site(scene, scene.owner)).name } }),
      foreign: async (scene) => ({ query: { name: (await site(scene, scene.stranger)).name } }),
      missing: { query: { name: 'walk-none' } },
    },
    'sites.restore': {
      works: async (scene) => ({ body: await siteOfTwo(scene, scene.owner) }),
      foreign: async (scene) => ({ body: await site(scene, scene.stranger) }),
      missing: async (scene) => ({ body: { ...(await site(scene, scene.owner)), version: unusedId } }),
    },

    'sites.domainAdd': {
      works: async (scene) => ({ body: await domain(scene, scene.owner) }),
      foreign: async (scene) => ({
        body: { ...(await domain(scene, scene.stranger)), name: (await site(scene, scene.owner)).name },
      }),
      missing: async (scene) => ({ body: { ...(await domain(scene, scene.owner)), name: 'walk-none' } }),
      rules: /^host\b/,
    },
    'sites.domainRemove': {
      works: async (scene) => ({ body: await servedHost(scene, scene.owner) }),
      foreign: async (scene) => ({ body: await servedHost(scene, scene.stranger) }),
      missing: { body: { host: 'www.walk-none.com' } },
      rules: /^host\b/,
    },
  },
  fill: async ({ url, token, account, name, api, sql }) => {
    const deployToken = await token(account, 'sites:write')
    for (const text of ['one', 'two'])
      await deploySite(url, deployToken, name, { 'index.html': text, 'a.txt': 'a'.repeat(5000) })
    await api('POST', '/dns/zones', { zone: `${name}.org` })
    await api('POST', '/sites/domains/add', { name, host: `www.${name}.org` })
    // No job looks at the objects of the account: they stay as they are.
    await sql(`delete from site_compaction where account_id = ${String(account.id)}`)
    await sql(`insert into site_compaction select distinct blob_key, account_id, 9000000000000
      from site_content where account_id = ${String(account.id)}`)
  },
}
