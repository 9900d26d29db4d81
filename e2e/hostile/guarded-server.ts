import { afterAll, beforeAll, expect } from 'vitest'
import { emptyPlace, svc, svcServe, type Place } from '../../packages/cli/test/svc.js'
import type { DatabaseKind } from '../../packages/server/test/app.js'
import { freshPostgres } from '../../test/servers/index.js'
import { gapMaxMs, guardLoop, type LoopGuard } from './loop-guard.js'
import { rawRequest, type RawAnswer, type RawRequest } from './raw-request.js'

export const zone = 'loop-guard.com'
export const recordsPath = `/v1/dns/zones/${zone}/records`

/** A server process with one account, one verified zone, and a watch over its event loop. */
export interface GuardedServer {
  readonly place: () => Place
  readonly url: () => string
  /** Of the server. */
  readonly pid: () => number
  /** Sends with a token of the account that has every scope. */
  readonly send: (given: RawRequest) => Promise<RawAnswer | undefined>
  readonly post: (
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<RawAnswer | undefined>
  /** Fails when the event loop is held for longer than `gapMaxMs` while the work runs. */
  readonly expectNoGap: (work: () => Promise<unknown>) => Promise<void>
}

/** Starts the server before the tests of the suite that calls it, and stops it after them. */
export function guardedServer(kind: DatabaseKind): GuardedServer {
  const disposables: AsyncDisposable[] = []
  let place: Place
  let url: string
  let pid: number | undefined
  let guard: LoopGuard
  let token: string

  function disposed<D extends AsyncDisposable>(disposable: D): D {
    disposables.unshift(disposable)
    return disposable
  }

  beforeAll(async () => {
    const empty = disposed(await emptyPlace())
    place = kind === 'sqlite' ? empty : { ...empty, env: { SVC_DATABASE: await freshPostgres() } }
    const server = disposed(await svcServe(place))
    url = server.url
    pid = server.child.pid
    await svc(['user', 'add', 'ada@example.com'], place)
    const { stdout } = await svc(['token', 'add', 'ada@example.com', '--name', 'hostile', '--scope', '*'], place)
    token = stdout.trim()
    expect((await post('/v1/dns/zones', { zone }))?.status).toBe(200)
    guard = disposed(await guardLoop(url))
  })

  afterAll(async () => {
    for (const disposable of disposables) await disposable[Symbol.asyncDispose]()
  })

  const send = (given: RawRequest): Promise<RawAnswer | undefined> =>
    rawRequest(url, { ...given, headers: { authorization: `Bearer ${token}`, ...given.headers } })

  const post: GuardedServer['post'] = (path, body, headers) =>
    send({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  return {
    place: () => place,
    url: () => url,
    pid: () => pid ?? 0,
    send,
    post,
    expectNoGap: async (work) => expect(await guard.longestGap(work)).toBeLessThan(gapMaxMs),
  }
}
