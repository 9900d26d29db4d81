import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accountStore } from '../../packages/server/dist/areas/account/accounts/store.js'
import { connect } from '../../packages/server/dist/db/connect.js'
import { apiClient, runClients } from './api-client.js'
import { CpuTime } from './cpu-time.js'
import { checkLimit, measureRounds, median, medianRatio, printInfo } from './measure.js'
import { addAccount, requestsPerSecond, startSvc } from './programs.js'

const seconds = 2
const connections = 50

/** Messages that devices post, each stored durably before its answer, against the rate of `write()`. */
export async function benchSms(folder: string): Promise<void> {
  const db = await connect({ kind: 'sqlite', file: join(folder, 'sms-writes.db') }, fail)
  const accounts = accountStore(db)
  const account = await accounts.add({ email: 'bench@example.com', nickname: '', passwordHash: 'x', now: 0 })
  const data = join(folder, 'sms')
  const token = await addAccount(data)
  // Not pinned to one core: like write(), it works in one thread and writes in another.
  const svc = await startSvc(data, [], [])
  const api = apiClient(svc.url, { authorization: `Bearer ${token}` })
  const url = `${svc.url}/sms/${await createKey(api)}`
  api.close()
  const script = join(folder, 'sms.lua')
  await writeFile(script, differentMessages)
  const cpu = { write: new CpuTime(process.pid), sms: new CpuTime(svc.pid) }
  const write = (n: number) => accounts.setNickname(account, `write ${String(n)}`).then(() => ({ status: 200 }))
  const writeAll = async () => (await runClients(connections, seconds * 1000, write)).perSecond
  const inAll = (rate: number) => rate * seconds
  const figures = await measureRounds(7, {
    write: () => cpu.write.measure(writeAll, inAll),
    sms: () => cpu.sms.measure(() => requestsPerSecond(url, { seconds, connections, script }), inAll),
  })
  await Promise.all([svc.stop(), db.close()])

  const print = (what: string, side: keyof typeof cpu) => {
    const microseconds = (cpu[side].seconds * 1e6).toFixed(0)
    printInfo(what, `${String(Math.round(median(figures[side])))}/s, ${microseconds} µs of CPU each`)
  }
  print('write(), fifty clients', 'write')
  print('SMS intake, fifty connections', 'sms')
  checkLimit('SMS intake, against write()', medianRatio(figures.sms, figures.write), { atLeast: 0.5 })
}

/** As SmsForwarder sends them, with the time of sending. No two are equal: a repeat would not be stored. */
const differentMessages = `
local ffi = require('ffi')
ffi.cdef 'typedef struct { long s, us; } moment; int gettimeofday(moment *, void *);'
local now = ffi.new('moment')
wrk.method = 'POST'
wrk.headers['Content-Type'] = 'application/json'
local started, count = os.time(), 0
request = function()
  count = count + 1
  ffi.C.gettimeofday(now, nil)
  local ms = tonumber(now.s) * 1000 + math.floor(tonumber(now.us) / 1000)
  local body = string.format('{"from":"+15550100","content":"Your code is %d-%d","timestamp":"%.0f"}', started, count, ms)
  return wrk.format(nil, nil, nil, body)
end
`

async function createKey({ send }: Pick<ReturnType<typeof apiClient>, 'send'>): Promise<string> {
  const { status, text } = await send('POST', '/v1/sms/keys', { label: 'bench' })
  if (status !== 200) throw new Error(text)
  return (JSON.parse(text) as { data: { key: string } }).data.key
}

const fail = (error: Error): never => {
  throw error
}
