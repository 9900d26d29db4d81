import { toolForms } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountStore } from '../../src/areas/account/accounts/store.js'
import { unlimited } from '../../src/areas/account/tokens/limits.js'
import { tokenStore } from '../../src/areas/account/tokens/store.js'
import type { Account } from '../../src/shared/account.js'
import { databaseKinds, startApp, type Envelope, type TestApp } from '../app.js'

/** GET /v1/ai with a token describes what that token may call. */

describe.each(databaseKinds)('on %s', (kind) => {
  let app: TestApp
  let ada: Account
  beforeAll(async () => {
    app = await startApp(kind)
    ada = await app.account('ada@example.com')
    await accountStore(app.app.database).setNickname(ada, 'Ädä ✓')
  })
  afterAll(() => app.stop())

  /** The endpoints in a brief. */
  const endpointsIn = (text: string) => [...text.matchAll(/^(?:GET|POST|PUT|PATCH|DELETE) \S+/gm)].map(([line]) => line)

  /** What GET /v1/account/me says that a token may call. */
  async function usableWith(token: string): Promise<string[]> {
    const { data } = (await app.call('GET', '/v1/account/me', { token })).body
    expect(data.user.nickname).toBe('Ädä ✓')
    const usable = data.usable_endpoints.map(({ method, path }: Envelope) => `${String(method)} ${String(path)}`)
    // A model would wait for the end of the stream.
    return usable.filter((endpoint: string) => endpoint !== 'GET /v1/events')
  }

  it('the text has the endpoints of the scopes, and is not stored by caches', async () => {
    const token = await app.token(ada, 'sites:read')
    const { text, headers } = await app.call('GET', '/v1/ai', { token })
    expect(headers.get('cache-control')).toBe('no-store')
    expect(endpointsIn(text).toSorted()).toEqual((await usableWith(token)).toSorted())
    expect(text).toContain('GET /v1/sites [')
    expect(text).not.toContain('/v1/sites/deploy [')
  })

  it('the tools have only operations that the rules allow', async () => {
    const limits = {
      ...unlimited,
      rules: [{ kind: 'zone', name: 'example.com', hosts: ['www'], access: 'write' }] as const,
    }
    const { token } = await tokenStore(app.app.database).create(ada, 'www', ['dns:write'], limits)
    const usable = await usableWith(token)
    expect(usable).toContain('POST /v1/dns/zones/{zone}/records')
    expect(usable).not.toContain('DELETE /v1/dns/zones/{zone}')
    for (const query of ['format=json', ...toolForms.map((form) => `for=${form}`)]) {
      const { tools } = (await app.call('GET', `/v1/ai?${query}`, { token })).body['data']
      expect(tools).toHaveLength(usable.length)
    }
  })

  it('a token that does not work gets what is for everybody', async () => {
    const all = (await app.call('GET', '/v1/ai')).text
    expect((await app.call('GET', '/v1/ai', { token: `svc_${'0'.repeat(32)}` })).text).toBe(all)
    const token = await app.token(ada, '*')
    expect(endpointsIn((await app.call('GET', '/v1/ai', { token })).text)).toEqual(endpointsIn(all))
  })
})
