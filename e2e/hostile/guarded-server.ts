import { afterAll, beforeAll, expect } from 'vitest'
import { emptyPlace, svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import type { DatabaseKind } from '../../packages/server/test/app.js'
import { migratedPostgres } from '../../packages/server/test/migrated-database.js'
import { accountToken } from '../account-token.js'
import { gapMaxMs, guardLoop, type LoopGuard } from './loop-guard.js'
import { rawRequest, type RawAnswer, type RawRequest } from './raw-request.js'

export const zone = 'loop-guard.com'
export const recordsPath = `/v1/dns/zones/${zone}/records`

/** A server process with one account and one verified zone, whose event loop is monitored. */
export interface GuardedServer {
  readonly place: () => Place
  readonly url: () => string
  readonly serving: () => Serving
  readonly guard: () => LoopGuard
  /** Sends a request with a token that has every scope. */
  readonly send: (request: RawRequest) => Promise<RawAnswer | undefined>
  readonly post: (
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<RawAnswer | undefined>
  /** Fails if the event loop is blocked for longer than `gapMaxMs` while the work runs. */
  readonly expectNoGap: (work: () => Promise<unknown>) => Promise<void>
}

/** Starts the server before the tests of the calling suite, and stops it after them. @param flags of `svc serve` */
export function guardedServer(kind: DatabaseKind, ...flags: string[]): GuardedServer {
  const disposables: AsyncDisposable[] = []
  let place: Place
  let serving: Serving
  let guard: LoopGuard
  let token: string

  function disposed<D extends AsyncDisposable>(disposable: D): D {
    disposables.unshift(disposable)
    return disposable
  }

  beforeAll(async () => {
    const empty = disposed(await emptyPlace())
    place = kind === 'sqlite' ? empty : { ...empty, env: { SVC_DATABASE: await migratedPostgres() } }
    serving = disposed(await svcServe(place, ...flags))
    token = await accountToken(place, 'ada@example.com', '*')
    expect((await post('/v1/dns/zones', { zone }))?.status).toBe(200)
    guard = disposed(await guardLoop(serving.url, serving.child.pid))
  })

  afterAll(async () => {
    for (const disposable of disposables) await disposable[Symbol.asyncDispose]()
  })

  const send: GuardedServer['send'] = (request) =>
    rawRequest(serving.url, { ...request, headers: { authorization: `Bearer ${token}`, ...request.headers } })

  const post: GuardedServer['post'] = (path, body, headers) =>
    send({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })

  return {
    place: () => place,
    url: () => serving.url,
    serving: () => serving,
    guard: () => guard,
    send,
    post,
    expectNoGap: async (work) => expect(await guard.longestGap(work)).toBeLessThan(gapMaxMs),
  }
}
