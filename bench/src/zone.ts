import { join } from 'node:path'
import { apiClient, type ApiClient } from './api-client.js'
import { addAccount, startSvc, type Program } from './programs.js'

/** `svc serve` with an account and a zone of 1,000 A records. */

export const zone = 'bench.example'
export const names = 1_000
const hostOf = (n: number) => `host${String(n).padStart(4, '0')}`

export interface ServedZone {
  readonly program: Program
  readonly dnsPort: number
  readonly token: string
  readonly api: ApiClient
}

/** The query file of dnsperf, with one A query per name. */
export const queryFile = Array.from({ length: names }, (_, n) => `${hostOf(n)}.${zone} A\n`).join('')

const addressOf = (n: number) => `192.0.${(n >> 8) % 256}.${n % 256}`
export const newRecord = (n: number) => ({ type: 'A', host: hostOf(n), value: addressOf(n) })

/** Starts svc, adds an account and creates the zone with its records over the API. */
export async function startSvcWithZone(
  folder: string,
  dnsPort: number,
  under?: readonly string[],
): Promise<ServedZone> {
  const data = join(folder, `zone${dnsPort}`)
  const token = await addAccount(data)
  const flags = ['--dns-port', String(dnsPort), '--dns-rate-limit', '0', '--dns-records-max', '1000000']
  const program = await startSvc(data, flags, under)
  const api = apiClient(program.url, { authorization: `Bearer ${token}` })
  await expectOk(api.send('POST', '/v1/dns/zones', { zone }))
  const all = Array.from({ length: names }, (_, n) => newRecord(n))
  await Promise.all(all.map((record) => expectOk(api.send('POST', `/v1/dns/zones/${zone}/records`, record))))
  return { program, dnsPort, token, api }
}

async function expectOk(answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await answer
  if (status !== 200) throw new Error(text)
}
