import type { Envelope } from '../app.js'
import type { Row } from '../dns-settings.js'
import type { Account } from '../../src/shared/account.js'
import type { Call, Scene } from '../walk/scene.js'

/** What the tests of all areas need of one of them. */
export interface AreaParts {
  /** By the id of the operation. Operations that need nothing are not listed. */
  readonly setUps?: Readonly<Record<string, SetUp>>
  /** Gives an account rows in the tables of the area. */
  readonly fill?: (filling: Filling) => Promise<void>
  /** The area's settings, in the table of all settings, and its part of the default configuration. */
  readonly settings?: { readonly rows: readonly Row[]; readonly defaults: object }
}

/** A server with accounts. */
export type Accounts = Pick<Scene, 'app' | 'url' | 'call' | 'token' | 'session'>

/** An account that gets rows. */
export interface Filling extends Accounts {
  readonly account: Account
  /** Names that are unique on the server are derived from it. */
  readonly name: string
  /** Expects 200. @param path below /v1 @returns the data of the answer */
  readonly api: (method: string, path: string, body?: object) => Promise<Envelope>
  /** Runs SQL on a separate connection. */
  readonly sql: (statement: string) => Promise<Record<string, unknown>[]>
}

/** Preparations for the calls of an operation, and the messages of its rules. */
export interface SetUp {
  /** Creates the resources that the example names. @returns what differs from the example */
  readonly works?: (scene: Scene) => Promise<Call>
  /** Instead of `works`, for a call that changes the whole server: it gets a separate one. */
  readonly worksAlone?: (scene: Scene) => Promise<Call>
  /** Whether each call needs `works`, because the calls before have used up a limit. */
  readonly isNeededEachTime?: true
  /** A call for a resource of `stranger`. Needed where `forbidden` or `forbidden_zone` is declared. */
  readonly foreign?: (scene: Scene) => Promise<Call>
  /** A call for a nonexistent resource. Needed where `not_found` is declared. */
  readonly missing?: Call | ((scene: Scene) => Promise<Call>)
  /** Messages of the area's rules for input that the schema accepts. */
  readonly rules?: RegExp
}

/** Larger than any id in a test. */
export const unusedId = 987_654_321

let zones = 0

/** A zone of the account, verified. */
export async function zone(scene: Accounts, account: Account): Promise<{ zone: string }> {
  const name = `walk-${++zones}.com`
  const made = await scene.call('POST', '/v1/dns/zones', {
    token: await scene.token(account, 'dns:write'),
    body: { zone: name },
  })
  if (made.body['data']?.status !== 'verified') throw new Error(`${name} could not be claimed: ${made.text}`)
  return { zone: name }
}
