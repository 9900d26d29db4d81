import { areas } from '@svc/contract'
import { domainStore } from '../../src/areas/sites/domains/store.js'
import { siteReadStore } from '../../src/areas/sites/sites/read-store.js'
import type { Scene } from './scene.js'
import { unusedId, zone, type SetUp } from './set-up.js'

let sites = 0

/** A site of the account, with one version. */
async function site(scene: Scene, account: Scene['owner']): Promise<{ name: string; version: number }> {
  const { body } = areas.sites.deploy.example
  const name = `walk-${++sites}`
  await scene.call('POST', '/v1/sites/deploy', {
    token: await scene.token(account, 'sites:write'),
    body: { ...body, name },
  })
  const kept = await siteReadStore(scene.app.database, noSiteLimits).versions(account, name)
  return { name, version: kept.site.versionId }
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

/** The operations of static sites. */
export const siteSetUps: Readonly<Record<string, SetUp>> = {
  'sites.deploy': {
    foreign: async (scene) => {
      const { name } = await site(scene, scene.stranger)
      return { body: { ...areas.sites.deploy.example.body, name } }
    },
    rules: /^(archive\b|name (content )?(is reserved|would be a new site))/,
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
    works: async (scene) => ({ body: await site(scene, scene.owner) }),
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
}
