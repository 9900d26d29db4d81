import { beforeAll, describe, expect, it } from 'vitest'
import { emptyPlace, svcServe } from '../../packages/cli/test/svc.js'
import { databaseKinds } from '../../packages/server/test/app.js'
import { freshPostgres } from '../../test/servers/index.js'
import { accountWithPassword } from '../account-token.js'

/** A flood of sign-ins from one address is stopped and does not delay other requests. */

const guesses = 150

const script = '/reference/scalar.js'

/** How long the answer to a GET takes, in milliseconds. */
async function timed(url: string): Promise<number> {
  const start = performance.now()
  const response = await fetch(url)
  expect(response.status).toBe(200)
  await response.arrayBuffer()
  return performance.now() - start
}

/**
 * The thread pool that hashes passwords also reads and compresses the reference page's script at its first request. A server without
 * a flood measures how long that takes on this machine.
 */
let undisturbed: number
beforeAll(async () => {
  await using place = await emptyPlace()
  await using quiet = await svcServe(place)
  undisturbed = await timed(quiet.url + script)
})

describe.each(databaseKinds)(`${String(guesses)} guesses for as many emails on %s`, (kind) => {
  it('guesses are refused soon, without delay for a file and a health check at the same time', async () => {
    await using place = await emptyPlace()
    const env = { SVC_TRUST_PROXY: 'loopback', ...(kind === 'postgres' && { SVC_DATABASE: await freshPostgres() }) }
    const configured = { ...place, env }
    await accountWithPassword(configured, 'ada@example.com', 'password of ada')
    await using server = await svcServe(configured)

    const signIn = async (ip: string, email: string, password: string) => {
      const response = await fetch(`${server.url}/console/api/session/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url, 'x-forwarded-for': ip },
        body: JSON.stringify({ email, password }),
      })
      await response.arrayBuffer()
      return { status: response.status, retryAfter: response.headers.get('retry-after') }
    }
    // The first sign-in loads argon2 and creates the hash for unknown emails. The second one takes as long as one hash.
    await signIn('198.51.100.9', 'unknown@example.com', 'wrong')
    const start = performance.now()
    await signIn('198.51.100.9', 'unknown@example.com', 'wrong')
    const oneHash = performance.now() - start

    const flood = Promise.all(
      Array.from({ length: guesses }, (_, i) => signIn('203.0.113.7', `unknown${String(i)}@example.com`, 'wrong')),
    )
    const disturbed = timed(server.url + script)
    const otherSignIn = signIn('198.51.100.8', 'ada@example.com', 'password of ada')
    const healthChecks: number[] = []
    for (let i = 0; i < 20; i++) healthChecks.push(await timed(`${server.url}/healthz`))
    // If all 150 passwords were hashed, it would wait for 146 of them: 73 hash durations on two cores.
    expect(Math.max(await disturbed, ...healthChecks)).toBeLessThan(5 * undisturbed + 25 * oneHash)
    expect((await otherSignIn).status).toBe(200)

    const answers = await flood
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
    const checked = () => answers.filter(({ retryAfter }) => retryAfter === null).length
    // Sequential guesses stay below the limit of concurrent ones: the counter of the network must stop them.
    for (let i = 0; i < guesses; i++)
      answers.push(await signIn('203.0.113.7', `unknown${String(guesses + i)}@example.com`, 'wrong'))
    // Thirty are checked at once, then one after each wait of 1 s, 2 s, 4 s, …
    expect(checked()).toBeGreaterThan(0)
    expect(checked()).toBeLessThanOrEqual(36)
    expect(answers.at(-1)?.retryAfter).toMatch(/^\d+$/)
    expect((await signIn('198.51.100.8', 'ada@example.com', 'password of ada')).status).toBe(200)
  })
})
