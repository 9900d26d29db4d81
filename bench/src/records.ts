import { join } from 'node:path'
import { freePort } from '../../test/servers/process.js'
import { runClients, type Rate } from './api-client.js'
import { checkLimit, measureRounds, median, medianRatio, p99, printInfo } from './measure.js'
import { changeDocument, startPowerDnsWithZone, zonePath } from './powerdns.js'
import { requestsPerSecond, startBareServer } from './programs.js'
import { names, newRecord, startSvcWithZone, zone } from './zone.js'

const roundMs = 2_000
const recordsPath = `/v1/dns/zones/${zone}/records`

/** Reads and writes over the API in a zone of 1,000 records, against the API of PowerDNS with its SQLite backend. */
export async function benchRecords(folder: string): Promise<void> {
  // Not pinned to one core: both answer in one thread and write in another.
  const svc = await startSvcWithZone(folder, await freePort(), [])
  const pdns = await startPowerDnsWithZone({}, [])
  const bare = await startBareServer(join(folder, 'records-bare.log'))
  let n = names
  const errors = { svc: 0, pdns: 0 }
  const countErrors = (side: keyof typeof errors, rate: Rate) => {
    errors[side] += rate.errors
    return rate.perSecond
  }
  const create = () => svc.api.send('POST', recordsPath, newRecord(n++))
  const replace = () => pdns.api.send('PATCH', zonePath, changeDocument(newRecord(n++)))
  const reads = { token: svc.token }
  const key = { headers: { 'x-api-key': pdns.token } }

  // Reads first, while the zone still has 1,000 records.
  const read = await measureRounds(3, {
    bare: () => requestsPerSecond(bare.url),
    one: () => requestsPerSecond(`${svc.program.url}${recordsPath}/500`, reads),
    onePowerDns: () => requestsPerSecond(`${pdns.url}${zonePath}?rrset_name=host0500.${zone}.&rrset_type=A`, key),
    list: () => requestsPerSecond(`${svc.program.url}${recordsPath}`, reads),
    listPowerDns: () => requestsPerSecond(pdns.url + zonePath, key),
  })
  const written = await measureRounds(3, {
    one: async () => countErrors('svc', await runClients(1, roundMs, create)),
    onePowerDns: async () => countErrors('pdns', await runClients(1, roundMs, replace)),
    fifty: async () => countErrors('svc', await runClients(50, roundMs, create)),
  })
  const before = errors.pdns
  const fiftyPowerDns = await runClients(50, roundMs, replace)
  const readers = await readersP99(() => svc.api.send('GET', `${recordsPath}/500`), create)
  await Promise.all([svc.program, pdns, bare].map((program) => program.stop()))
  svc.api.close()
  pdns.api.close()

  printInfo('PowerDNS, one client', `${Math.round(median(written.onePowerDns))} records/s`)
  printInfo(
    'PowerDNS, fifty clients',
    `${Math.round(fiftyPowerDns.perSecond)} records/s, ${errors.pdns - before + fiftyPowerDns.errors} errors`,
  )
  checkLimit('create, one client, against PowerDNS', medianRatio(written.one, written.onePowerDns), { atLeast: 5 })
  checkLimit('create, fifty clients, against one of PowerDNS', medianRatio(written.fifty, written.onePowerDns), {
    atLeast: 20,
  })
  checkLimit('errors of svc', errors.svc, { below: 1 })
  checkLimit('readers’ p99 beside eight writers', readers, { below: 6 }, ' ms')
  checkLimit('one record, against PowerDNS for one RRset', medianRatio(read.one, read.onePowerDns), { atLeast: 8 })
  checkLimit('one record, against bare node:http', medianRatio(read.one, read.bare), { atLeast: 0.25 })
  checkLimit('list of 1,000, against PowerDNS', medianRatio(read.list, read.listPowerDns), { atLeast: 4 })
}

/** The 99th percentile of the duration of reads in milliseconds, with eight readers and eight writers. */
async function readersP99(read: () => Promise<{ status: number }>, write: () => Promise<{ status: number }>) {
  const ms: number[] = []
  await Promise.all([
    runClients(8, roundMs, write),
    runClients(8, roundMs, async () => {
      const began = performance.now()
      const answer = await read()
      ms.push(performance.now() - began)
      return answer
    }),
  ])
  return p99(ms)
}
