import type { DatabaseKind } from './app.js'
import { startSite, type Site } from './site.js'
import { send, type HttpAnswer, type HttpCall } from './raw-http.js'

/** Sends updates of addresses as the clients of dynamic DNS do. */

/** A server that takes the address of a client from X-Forwarded-For, so that tests choose it. */
export const startDyndnsSite = (kind: DatabaseKind): Promise<Site> => startSite(kind, { trustProxy: ['127.0.0.1'] })

export const basic = (token: string, user = 'anyone') => `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`

interface UpdateCall extends HttpCall {
  /** The address of the client, behind a trusted proxy. */
  readonly from?: string
}

const headersOf = ({ headers, from }: UpdateCall) => ({
  ...headers,
  ...(from !== undefined && { 'x-forwarded-for': from }),
})

/** @param query of `/nic/update` @returns the answer; its text without the last line break is the result */
export const dyndns = (
  site: Pick<Site, 'url'>,
  token: string,
  query: string,
  call: UpdateCall = {},
): Promise<HttpAnswer> =>
  send(site.url, 'GET', `/nic/update?${query}`, { headers: { authorization: basic(token), ...headersOf(call) } })

/** @param query of `/u/<key>` */
export const updateByKey = (
  site: Pick<Site, 'url'>,
  key: string,
  query = '',
  call: UpdateCall = {},
): Promise<HttpAnswer> => send(site.url, 'GET', `/u/${key}${query && `?${query}`}`, { headers: headersOf(call) })
