import { isIP } from 'node:net'
import { shown } from './mask.js'
import { list } from './parsers.js'
import { InvalidSetting } from './setting.js'
import type { Secondary } from '../ports/dns/transfers/options.js'

const form = /^(?:\[(?<six>[^\]]+)\]|(?<four>[^:#]+))(?::(?<port>\d{1,5}))?$/

/** Parses `addr[:port][#key]`, separated by commas; brackets enclose an IPv6 address with a port. */
export function secondaries(text: string): readonly Secondary[] {
  return list(text).map((entry) => {
    const [where = '', key, ...rest] = entry.split('#')
    const { six, four, port = '53' } = form.exec(where)?.groups ?? {}
    const address = isIP(where) === 6 ? where : (six ?? four ?? '')
    const isAddress = isIP(address) !== 0 && (six === undefined || isIP(six) === 6)
    if (!isAddress || Number(port) < 1 || Number(port) > 65_535 || key === '' || rest.length > 0)
      throw new InvalidSetting(
        `must list addresses such as 192.0.2.53, 192.0.2.53:5300#ns2.key or [2001:db8::53]:53, separated by commas; ${shown(entry)} is not one`,
      )
    return { address, port: Number(port), key: key?.toLowerCase().replace(/\.$/, '') }
  })
}
