import { expect } from 'vitest'
import type { DatabaseConfig } from '../src/db/connect.js'
import type { Account } from '../src/shared/account.js'
import type { TestApp } from './app.js'
import { areaParts } from './areas/index.js'
import { fillByDeclaration } from './declared-rows.js'
import { runSql } from './site.js'
import { sessionOf } from './walk/scene.js'

/** An account with rows in every table. */
export interface FullAccount {
  readonly account: Account
  /** For everything. */
  readonly token: string
  /** A zone with the record `www`. */
  readonly zone: string
  /** The path of a share link. */
  readonly sharePath: string
  /** Of a site. */
  readonly siteName: string
  /** The own domain of the site, in another zone. */
  readonly siteDomain: string
}

/**
 * Gives an account rows in every table: each area fills its own, and the rest is made by the declarations of the tables.
 * @param name unique among the accounts of the server that are filled
 */
export async function fillAccount(
  server: TestApp,
  database: DatabaseConfig,
  account: Account,
  name: string,
): Promise<FullAccount> {
  const token = await server.token(account, '*')
  const session = sessionOf(server)
  await session(account)
  const dataOf = async (path: string, sent: ReturnType<TestApp['call']>) => {
    const answer = await sent
    expect(answer.status, `${path} ${answer.text}`).toBe(200)
    return answer.body['data']
  }
  const api = (method: string, path: string, body?: object) =>
    dataOf(path, server.call(method, `/v1${path}`, { token, body }))
  const sql = (statement: string) => runSql(database, statement)
  for (const { fill } of areaParts) await fill?.({ ...server, session, account, name, api, sql })
  await fillByDeclaration(server.app.database, database, account.id)

  const { files } = await api('GET', '/files')
  const share = (files as { share_url: string | null }[]).flatMap(({ share_url: url }) => url ?? [])
  return {
    account,
    token,
    zone: `${name}.com`,
    sharePath: new URL(String(share[0])).pathname,
    siteName: name,
    siteDomain: `www.${name}.org`,
  }
}
