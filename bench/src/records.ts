import { join } from 'node:path'
import { freePort } from '../../test/servers/process.js'
import { apiClient, runClients } from './api-client.js'
import { checkLimit, checkTime, measureRounds, p99 } from './measure.js'
import { changeDocument, startPowerDnsWithZone, zonePath } from './powerdns.js'
import { startBenchProgram, type Program } from './programs.js'
import { checkCpu, checkRate, measureSides, requestSide, sideOf } from './request-side.js'
import { names, newRecord, startSvcWithZone, zone } from './zone.js'

const seconds = 2
const recordsPath = `/v1/dns/zones/${zone}/records`

/** Records that one batch creates. */
const batchSize = 100

type Send = (n: number) => Promise<{ status: number }>

/** Reads and writes over the API in a zone of 1,000 records, against the API of PowerDNS with its SQLite backend. */
export async function benchRecords(folder: string): Promise<void> {
  // Not pinned to one core: both answer in one thread and write in another.
  const svc = await startSvcWithZone(folder, await freePort(), [])
  const pdns = await startPowerDnsWithZone({}, [])
  const durable = await startBenchProgram(
    'durable-server.ts',
    join(folder, 'durable.log'),
    /^(http:\S+)/m,
    join(folder, 'writes'),
  )
  let n = names
  let errors = 0
  const create: Send = () => svc.api.send('POST', recordsPath, newRecord(n++))
  const createBatch: Send = () => {
    const changes = Array.from({ length: batchSize }, () => ({ create: newRecord(n++) }))
    return svc.api.send('POST', `${recordsPath}/batch`, { changes })
  }
  const replace: Send = () => pdns.api.send('PATCH', zonePath, changeDocument(newRecord(n++)))
  /** @param records that each request writes */
  const writes = (name: string, { pid }: Pick<Program, 'pid'>, clients: number, send: Send, records = 1) => {
    const work = async () => {
      const rate = await runClients(clients, seconds * 1000, send)
      if (send !== replace) errors += rate.errors
      return rate.perSecond * records
    }
    return sideOf(name, pid, work, (rate) => rate * seconds)
  }
  const load = { token: svc.token }
  const key = { headers: { 'x-api-key': pdns.token } }
  const rrset = `${zonePath}?rrset_name=host0500.${zone}.&rrset_type=A`

  // Reads first, while the zone still has 1,000 records.
  const reads = {
    one: requestSide('svc', svc.program, `${recordsPath}/500`, load),
    onePowerDns: requestSide('PowerDNS, one RRset', pdns, rrset, key),
    list: requestSide('svc', svc.program, recordsPath, load),
    listPowerDns: requestSide('PowerDNS', pdns, zonePath, key),
  }
  await measureSides(3, Object.values(reads))
  const written = {
    one: writes('svc', svc.program, 1, create),
    onePowerDns: writes('PowerDNS, one client', pdns, 1, replace),
    fifty: writes('svc', svc.program, 50, create),
    batches: writes('svc', svc.program, 1, createBatch, batchSize),
    single: writes('svc, single creates', svc.program, 1, create),
  }
  await measureSides(3, Object.values(written))
  const readers = await compareReaders(() => svc.api.send('GET', `${recordsPath}/500`), create, durable)
  await Promise.all([svc.program, pdns, durable].map((program) => program.stop()))
  svc.api.close()
  pdns.api.close()

  // As rates: at least 8 × and 4 × PowerDNS.
  checkCpu('one record', reads.one, reads.onePowerDns, 0.125)
  checkCpu('list of 1,000', reads.list, reads.listPowerDns, 0.25)
  checkRate('create, one client', written.one, written.onePowerDns, 5)
  checkRate('create, fifty clients', written.fifty, written.onePowerDns, 20)
  checkRate(`records of batches of ${batchSize}, one client`, written.batches, written.single, 20)
  checkLimit('errors of svc', errors, { below: 1 })
  checkTime('readers’ p99 beside eight writers', readers.svc, { name: 'durable server', ms: readers.durable }, 4)
}

/**
 * The readers' p99 of svc, and of a bare server with the same clients that makes each write durable. Most of it is the machine's:
 * clients and server share its cores, and wait for its disk.
 */
async function compareReaders(read: Send, write: Send, durable: Program) {
  const bare = apiClient(durable.url, {})
  const figures = await measureRounds(3, {
    svc: () => readersP99(read, write),
    durable: () =>
      readersP99(
        () => bare.send('GET', '/'),
        () => bare.send('POST', '/', newRecord(names)),
      ),
  })
  bare.close()
  return figures
}

/** The 99th percentile of the duration of reads in milliseconds, with eight readers and eight writers. */
async function readersP99(read: Send, write: Send): Promise<number> {
  const ms: number[] = []
  await Promise.all([
    runClients(8, seconds * 1000, write),
    runClients(8, seconds * 1000, async (n) => {
      const began = performance.now()
      const answer = await read(n)
      ms.push(performance.now() - began)
      return answer
    }),
  ])
  return p99(ms)
}
