import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { shown } from './mask.js'
import { list } from './parsers.js'
import { InvalidSetting, setting } from './setting.js'

/** Addresses and networks, separated by commas. @returns each in CIDR notation */
const networks = (text: string): readonly string[] => [...new Set(list(text).map(network))]

function network(entry: string): string {
  const [address = '', bits, ...rest] = entry.split('/')
  // ipaddr.js also parses spellings such as 10.1, which programs read differently (RFC 6943, section 3.1.1).
  const version = isIP(address)
  const cidr = bits === undefined ? `${address}/${version === 4 ? '32' : '128'}` : `${address}/${bits}`
  if (version !== 0 && rest.length === 0 && !address.includes('%') && ipaddr.isValidCIDR(cidr)) return cidr
  const example = '10.0.0.5, 192.168.1.0/24 or fd00::/8'
  throw new InvalidSetting(
    `must list addresses and networks such as ${example}, separated by commas; ${shown(entry)} is not one`,
  )
}

export const outboundSettings = {
  outboundAllow: setting({
    env: 'SVC_OUTBOUND_ALLOW',
    placeholder: '<networks>',
    description: 'Private addresses and networks that webhooks and registry look-ups may reach, such as 192.168.1.0/24',
    default: '',
    parse: networks,
  }),
} as const
