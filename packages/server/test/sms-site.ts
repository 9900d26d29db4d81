import type { Config } from '../src/config/config.js'
import type { DatabaseKind } from './app.js'
import { send, type HttpAnswer, type HttpCall } from './raw-http.js'
import { startSite } from './site.js'

/** A server with an account that has SMS messages. */
export async function startSms(kind: DatabaseKind, overrides: Partial<Config> = {}) {
  const site = await startSite(kind, overrides)
  const account = await site.account('ada@example.com')
  const token = await site.token(account, 'sms:read', 'sms:write')
  const call = (method: string, path: string, body?: unknown) => site.call(method, `/v1/sms${path}`, { token, body })

  return {
    ...site,
    owner: account,
    ownerToken: token,
    sms: call,
    createKey: async (fields: object = {}) => {
      const made = await call('POST', '/keys', { label: 'Phone', ...fields })
      if (made.status !== 200) throw new Error(made.text)
      return made.body['data'] as { readonly id: number; readonly key: string; readonly prefix: string }
    },
    /** Revokes all keys, so that the next test has room for five. */
    revokeAll: async () => {
      for (const { id } of (await call('GET', '/keys')).body['data'].keys as { id: number }[])
        await call('DELETE', `/keys?id=${String(id)}`)
    },
    /** Posts like a device. JSON by default. */
    post: (key: string, body: string | Buffer | object, headers: HttpCall['headers'] = json): Promise<HttpAnswer> =>
      send(site.url, 'POST', `/sms/${key}`, {
        headers,
        body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    messages: async (query = '') => (await call('GET', `/messages${query}`)).body['data'],
  }
}

export type SmsSite = Awaited<ReturnType<typeof startSms>>

export const json = { 'content-type': 'application/json' }
