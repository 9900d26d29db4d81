import type { Call, Scene } from './scene.js'

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
export async function zone(scene: Scene, account: Scene['owner']): Promise<{ zone: string }> {
  const name = `walk-${++zones}.com`
  const made = await scene.call('POST', '/v1/dns/zones', {
    token: await scene.token(account, 'dns:write'),
    body: { zone: name },
  })
  if (made.body['data']?.status !== 'verified') throw new Error(`${name} could not be claimed: ${made.text}`)
  return { zone: name }
}
