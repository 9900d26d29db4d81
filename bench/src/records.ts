import { join } from 'node:path'
import { freePort } from '../../test/servers/process.js'
import { clients, type Rate } from './api-client.js'
import { info, limit, median, ratio, rounds } from './measure.js'
import { change, servePowerDns, zonePath } from './powerdns.js'
import { bare, load } from './programs.js'
import { names, newRecord, serveZone, zone } from './zone.js'

const roundMs = 2_000
const recordsPath = `/v1/dns/zones/${zone}/records`

/** Reading and creating records over the API in a zone of 1,000, compared with PowerDNS's API with its SQLite backend. */
export async function benchRecords(folder: string): Promise<void> {
  // Not pinned to one core: both answer in one thread and write in another.
  const svc = await serveZone(folder, await freePort(), [])
  const pdns = await servePowerDns({}, [])
  const floor = await bare(join(folder, 'records-bare.log'))
  let n = names
  const errors = { svc: 0, pdns: 0 }
  const counted = (side: keyof typeof errors, rate: Rate) => {
    errors[side] += rate.errors
    return rate.perSecond
  }
  const create = () => svc.api.send('POST', recordsPath, newRecord(n++))
  const replace = () => pdns.api.send('PATCH', zonePath, change(newRecord(n++)))
  const reads = { token: svc.token }
  const key = { headers: { 'x-api-key': pdns.token } }

  // Lists first, while the zone has 1,000 records.
  const read = await rounds(3, {
    bare: () => load(floor.url),
    one: () => load(`${svc.program.url}${recordsPath}/500`, reads),
    oneElsewhere: () => load(`${pdns.url}${zonePath}?rrset_name=host0500.${zone}.&rrset_type=A`, key),
    list: () => load(`${svc.program.url}${recordsPath}`, reads),
    listElsewhere: () => load(pdns.url + zonePath, key),
  })
  const written = await rounds(3, {
    one: async () => counted('svc', await clients(1, roundMs, create)),
    oneElsewhere: async () => counted('pdns', await clients(1, roundMs, replace)),
    fifty: async () => counted('svc', await clients(50, roundMs, create)),
  })
  const before = errors.pdns
  const fiftyElsewhere = await clients(50, roundMs, replace)
  const readers = await readersP99(() => svc.api.send('GET', `${recordsPath}/500`), create)
  await Promise.all([svc.program, pdns, floor].map((program) => program.stop()))
  svc.api.close()
  pdns.api.close()

  info('PowerDNS, one client', `${Math.round(median(written.oneElsewhere))} records/s`)
  info(
    'PowerDNS, fifty clients',
    `${Math.round(fiftyElsewhere.perSecond)} records/s, ${errors.pdns - before + fiftyElsewhere.errors} errors`,
  )
  limit('create, one client, ratio to PowerDNS', ratio(written.one, written.oneElsewhere), { atLeast: 5 })
  limit('create, fifty clients, ratio to PowerDNS with one client', ratio(written.fifty, written.oneElsewhere), {
    atLeast: 20,
  })
  limit('failed requests of svc', errors.svc, { below: 1 })
  limit('p99 of reads with eight concurrent writers', readers, { below: 6 }, ' ms')
  limit('get one record, ratio to one RRset of PowerDNS', ratio(read.one, read.oneElsewhere), { atLeast: 8 })
  limit('get one record, ratio to bare node:http', ratio(read.one, read.bare), { atLeast: 0.25 })
  limit('list 1,000 records, ratio to PowerDNS', ratio(read.list, read.listElsewhere), { atLeast: 4 })
}

/** The 99th percentile of the latency of reads in milliseconds, with eight readers and eight writers. */
async function readersP99(read: () => Promise<{ status: number }>, write: () => Promise<{ status: number }>) {
  const ms: number[] = []
  await Promise.all([
    clients(8, roundMs, write),
    clients(8, roundMs, async () => {
      const began = performance.now()
      const answer = await read()
      ms.push(performance.now() - began)
      return answer
    }),
  ])
  return ms.toSorted((a, b) => a - b)[Math.floor(ms.length * 0.99)] ?? NaN
}
