import { startPowerDns } from '../../test/servers/powerdns.js'
import { apiClient, type ApiClient } from './api-client.js'
import { pin } from './programs.js'
import { newRecord, names, zone } from './zone.js'

export interface PowerDns {
  readonly url: string
  readonly pid: number
  readonly dnsPort: number
  readonly token: string
  readonly api: ApiClient
  readonly stop: () => Promise<void>
}

export const zonePath = `/api/v1/servers/localhost/zones/${zone}.`

/** The request body that sets one RRset in PowerDNS. */
export const changeDocument = ({ type, host, value }: ReturnType<typeof newRecord>) => ({
  rrsets: [
    {
      name: `${host}.${zone}.`,
      type,
      ttl: 3600,
      changetype: 'REPLACE',
      records: [{ content: value, disabled: false }],
    },
  ],
})

/** Starts PowerDNS with its SQLite backend and the same zone as svc. */
export async function startPowerDnsWithZone(settings: Record<string, string>, under = pin(0)): Promise<PowerDns> {
  const server = await startPowerDns(settings, under)
  const api = apiClient(server.url, { 'x-api-key': server.key })
  const rrsets = Array.from({ length: names }, (_, n) => changeDocument(newRecord(n)).rrsets).flat()
  const created = await api.send('POST', '/api/v1/servers/localhost/zones', {
    name: `${zone}.`,
    kind: 'Native',
    nameservers: ['ns1.localhost.'],
    rrsets: rrsets.map(({ changetype: _, ...rrset }) => rrset),
  })
  if (created.status !== 201) throw new Error(created.text)
  const { url, pid, dnsPort, key } = server
  return { url, pid, dnsPort, token: key, api, stop: () => server.stop() }
}
