import type { Account } from '../../src/shared/account.js'
import { issueCertificate } from '../certificates.js'
import type { Scene } from '../walk/scene.js'
import { zone, type Accounts, type AreaParts, type SetUp } from './area-parts.js'

/** A zone of the account that it has asked a certificate for. */
async function ordered(scene: Accounts, account: Account): Promise<{ zone: string }> {
  const body = await zone(scene, account)
  await scene.call('POST', '/v1/tls/certificates', { token: await scene.token(account, 'dns:write'), body })
  return body
}

/** The same, with a certificate. */
async function issued(scene: Scene, account: Account): Promise<{ zone: string }> {
  const body = await ordered(scene, account)
  await issueCertificate(scene.app.database, account, [body.zone, `*.${body.zone}`])
  return body
}

const onOrdered: SetUp = {
  works: async (scene) => ({ body: await ordered(scene, scene.owner) }),
  foreign: async (scene) => ({ body: await ordered(scene, scene.stranger) }),
  missing: async (scene) => ({ body: await zone(scene, scene.owner) }),
}

const passphrase = 'correct horse battery'

export const tlsParts: AreaParts = {
  setUps: {
    'tls.order': {
      works: async (scene) => ({ body: await zone(scene, scene.owner) }),
      foreign: async (scene) => ({ body: await zone(scene, scene.stranger) }),
      rules: /^The account has \d+ certificates/,
    },
    'tls.renew': {
      ...onOrdered,
      works: async (scene) => ({ body: await issued(scene, scene.owner) }),
      rules: /^(The account has ordered|\S+ has got) \d+ /,
    },
    'tls.delete': onOrdered,
    'tls.key': {
      works: async (scene) => ({ body: { ...(await issued(scene, scene.owner)), passphrase } }),
      foreign: async (scene) => ({ body: { ...(await issued(scene, scene.stranger)), passphrase } }),
      missing: async (scene) => ({ body: { ...(await ordered(scene, scene.owner)), passphrase } }),
      rules: /^passphrase must not contain control characters/,
    },
  },
  fill: async ({ account, name, sql }) => {
    // Not by requests: a server without ACME refuses them.
    const id = String(account.id)
    await sql(`insert into tls_zone (account_id, zone, created_at) values (${id}, '${name}.com', 5)`)
    await sql(`insert into certificate (account_id, zone, names, wanted, next_at, failures)
      values (${id}, '${name}.com', '["old.${name}.com"]', 0, 9000000000000, 0)`)
    await sql(`insert into certificate_order (account_id, domain, ordered_at) values (${id}, '${name}.com', 5)`)
  },
}
