import { describe, expect, it } from 'vitest'
import { emptyPlace, svc, svcServe } from '../../packages/cli/test/svc.js'
import { databaseKinds } from '../../packages/server/test/app.js'
import { freshPostgres } from '../../test/servers/index.js'

/** A flood of sign-ins from one address neither guesses on nor holds up anything else. */

const guesses = 150

describe.each(databaseKinds)(`${String(guesses)} guesses at as many emails on %s`, (kind) => {
  it('are refused soon; a file and a look-up beside them are served at once', async () => {
    await using place = await emptyPlace()
    const env = {
      SVC_TRUST_PROXY: 'loopback',
      ...(kind === 'postgres' && { SVC_DATABASE: await freshPostgres() }),
    }
    const there = { ...place, env }
    await svc(['user', 'add', 'ada@example.com', '--password-stdin'], there, 'password of ada')
    await using server = await svcServe(there)

    const signIn = async (ip: string, email: string, password: string) => {
      const response = await fetch(`${server.url}/console/api/session/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url, 'x-forwarded-for': ip },
        body: JSON.stringify({ email, password }),
      })
      await response.arrayBuffer()
      return { status: response.status, retryAfter: response.headers.get('retry-after') }
    }
    const timed = async (url: string) => {
      const start = performance.now()
      const response = await fetch(url)
      expect(response.status).toBe(200)
      await response.arrayBuffer()
      return performance.now() - start
    }
    // The script of the reference page is read from the disk and compressed at its first request, in the thread pool that
    // hashes passwords too. How long that takes here and now, another server without a flood tells.
    const script = '/reference/scalar.js'
    await using quietPlace = await emptyPlace()
    await using quiet = await svcServe(quietPlace)
    const undisturbed = await timed(quiet.url + script)
    // The first sign-in loads argon2 and makes what unknown emails are checked against; the second takes one hash.
    await signIn('198.51.100.9', 'nobody@example.com', 'wrong')
    const start = performance.now()
    await signIn('198.51.100.9', 'nobody@example.com', 'wrong')
    const oneHash = performance.now() - start

    const flood = Promise.all(
      Array.from({ length: guesses }, (_, i) => signIn('203.0.113.7', `nobody${String(i)}@example.com`, 'wrong')),
    )
    const disturbed = timed(server.url + script)
    const elsewhere = signIn('198.51.100.8', 'ada@example.com', 'password of ada')
    const lookUps: number[] = []
    for (let i = 0; i < 20; i++) lookUps.push(await timed(`${server.url}/healthz`))
    // With all 150 hashed, it would wait for 146 of them first, on two cores for as long as 73.
    expect(Math.max(await disturbed, ...lookUps)).toBeLessThan(5 * undisturbed + 25 * oneHash)
    expect((await elsewhere).status).toBe(200)

    const answers = await flood
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
    const lookedAt = () => answers.filter(({ retryAfter }) => retryAfter === null).length
    // One after the other, none is refused for being too many at a time: the counter of the network has to stop them.
    for (let i = 0; i < guesses; i++)
      answers.push(await signIn('203.0.113.7', `nobody${String(guesses + i)}@example.com`, 'wrong'))
    // Thirty are free; then one after a wait of 1 s, 2 s, 4 s, …
    expect(lookedAt()).toBeGreaterThan(0)
    expect(lookedAt()).toBeLessThanOrEqual(36)
    expect(answers.at(-1)?.retryAfter).toMatch(/^\d+$/)
    expect((await signIn('198.51.100.8', 'ada@example.com', 'password of ada')).status).toBe(200)
  })
})
