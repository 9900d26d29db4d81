import type { Scene } from '../walk/scene.js'
import type { AreaParts, SetUp } from './area-parts.js'

let packages = 0

/** The first version of a new package. */
const newPackage = () => ({
  slug: `walk-${String(++packages)}`,
  version: '1.0.0',
  artifacts: [{ name: 'greeter.txt', content: 'aGVsbG8=' }],
})

/** A package of the account, with one version. */
async function publishedPackage(scene: Scene, account: Scene['owner']): Promise<{ slug: string }> {
  const body = newPackage()
  await scene.call('POST', '/v1/packages/publish', { token: await scene.token(account, 'packages:write'), body })
  return { slug: body.slug }
}

/** @param fields beyond the slug */
const onPackage = (fields: object = {}): SetUp => ({
  works: async (scene) => ({ body: { ...fields, ...(await publishedPackage(scene, scene.owner)) } }),
  foreign: async (scene) => ({ body: { ...fields, ...(await publishedPackage(scene, scene.stranger)) } }),
  missing: { body: { ...fields, slug: 'unused' } },
})

export const packageParts: AreaParts = {
  setUps: {
    'packages.get': {
      works: async (scene) => ({ params: await publishedPackage(scene, scene.owner) }),
      foreign: async (scene) => ({ params: await publishedPackage(scene, scene.stranger) }),
      missing: { params: { slug: 'unused' } },
    },
    'packages.publish': {
      works: () => Promise.resolve({ body: newPackage() }),
      foreign: async (scene) => ({ body: { ...newPackage(), ...(await publishedPackage(scene, scene.stranger)) } }),
      rules:
        /^(version .*(was published already|has a number|must be)|artifacts( has|.*base64|.*may be given only once))/,
    },
    'packages.update': onPackage({ name: 'Greeter' }),
    'packages.delete': onPackage(),
  },
  fill: async ({ api, name }) => {
    for (const slug of [`kept-${name}`, `deleted-${name}`])
      await api('POST', '/packages/publish', { ...newPackage(), slug })
    await api('POST', '/packages/delete', { slug: `deleted-${name}` })
  },
}
