import { startSite } from './site.js'
import type { DatabaseKind, TestApp } from './app.js'
import { send, type HttpAnswer, type HttpCall } from './raw-http.js'

/** A server, and a browser that has signed in as the owner of its deployments. */
export async function startDeployments(kind: DatabaseKind, overrides: Parameters<typeof startSite>[1] = {}) {
  // Tests choose the address of a client with X-Forwarded-For.
  const site = await startSite(kind, { trustProxy: ['127.0.0.1'], ...overrides })
  const account = await site.account('ada@example.com')
  const ada = await site.browser('ada@example.com')
  const v1Token = await site.token(account, 'deploy:write')
  return {
    ...site,
    ada,
    v1Token,
    create: async (fields: object) => {
      const made = await ada.call('POST', '/deployments/create', { body: fields })
      if (made.status !== 200) throw new Error(made.text)
      return made.body['data'] as { readonly id: number; readonly slug: string; readonly url: string }
    },
    usesOf: async (id: number): Promise<number> =>
      (await ada.call('GET', `/deployments/${String(id)}`)).body['data'].uses,
  }
}

export type Deployments = Awaited<ReturnType<typeof startDeployments>>

/** Sends a request to the content host. */
export const onContent = (
  app: Pick<TestApp, 'url'>,
  method: string,
  path: string,
  { headers, ...rest }: HttpCall = {},
): Promise<HttpAnswer> => send(app.url, method, path, { ...rest, headers: { host: 'content.localhost', ...headers } })
