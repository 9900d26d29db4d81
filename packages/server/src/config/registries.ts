import { isIP } from 'node:net'
import { isHostName } from '../shared/host-name.js'
import { fetchableUrl } from './parsers.js'
import { InvalidSetting, optional } from './setting.js'

/** Parses `host:port`; brackets enclose an IPv6 address. */
function hostAndPort(text: string): string {
  const [, host = '', port = ''] = /^(\[[\da-f:.]+\]|[^:[\]]+):(\d{1,5})$/i.exec(text) ?? []
  const bare = host.replace(/^\[|\]$/g, '')
  const isHost = host.startsWith('[') ? isIP(bare) === 6 : isIP(bare) === 4 || isHostName(bare)
  if (isHost && Number(port) >= 1 && Number(port) <= 65_535) return `${host.toLowerCase()}:${port}`
  throw new InvalidSetting('must be a host and a port, such as whois.example.com:43')
}

export const registrySettings = {
  rdapUrl: optional({
    env: 'SVC_RDAP_URL',
    placeholder: '<url>',
    description: 'The base URL of an RDAP server for all top-level domains; it may have a private address',
    shownDefault: "the registries' servers, from IANA's list",
    parse: baseUrl,
  }),
  whois: optional({
    env: 'SVC_WHOIS',
    placeholder: '<host:port>',
    description: "The WHOIS server to ask instead of the registries' servers; it may have a private address",
    shownDefault: "the registries' servers",
    parse: hostAndPort,
  }),
} as const

/** An http or https URL that paths are appended to. */
function baseUrl(text: string): string {
  const url = fetchableUrl(text)
  if (/[?#]/.test(url))
    throw new InvalidSetting('must be an http or https URL without a query, such as https://rdap.example.com/')
  return url.endsWith('/') ? url : `${url}/`
}
