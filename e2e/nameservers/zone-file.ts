import type { RRset, RRsetRecord, Zone } from '../../packages/server/src/ports/dns/port.js'

/** A zone as zone file (RFC 1035, section 5), with the SOA and NS records of the embedded nameserver. */
export function zoneFile({ zone, serial, rrsets }: Zone, nameservers: readonly string[]): string {
  const soa = `${nameservers[0]!}. hostmaster.${zone}. ${serial} 7200 900 1209600 300`
  return [
    `${zone}. 3600 IN SOA ${soa}`,
    ...nameservers.map((name) => `${zone}. 3600 IN NS ${name}.`),
    ...rrsets.flatMap((set) => set.records.map((record) => line(set, record))),
    '',
  ].join('\n')
}

const line = ({ name, type, ttl }: RRset, record: RRsetRecord): string =>
  `${name}. ${ttl} IN ${type} ${rdata(type, record)}`

function rdata(type: RRset['type'], { value, priority }: RRsetRecord): string {
  switch (type) {
    case 'TXT':
    case 'SPF':
      return characterStrings(value)
    case 'MX':
      return `${priority ?? 0} ${absolute(value)}`
    case 'SRV':
      return `${priority ?? 0} ${absolute(value)}`
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return absolute(value)
    default:
      return value
  }
}

const absolute = (name: string): string => (name.endsWith('.') ? name : `${name}.`)

/** Quotes a text as character-strings of at most 255 octets (RFC 1035, section 3.3). */
function characterStrings(value: string): string {
  const bytes = Buffer.from(value)
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 255) {
    const octets = [...bytes.subarray(at, at + 255)]
    const escaped = octets.map((octet) =>
      octet > 0x20 && octet < 0x7f && octet !== 0x22 && octet !== 0x5c
        ? String.fromCharCode(octet)
        : `\\${String(octet).padStart(3, '0')}`,
    )
    pieces.push(`"${escaped.join('')}"`)
  }
  return pieces.join(' ')
}
