import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accountStore } from '../../packages/server/dist/areas/account/accounts/store.js'
import { connect } from '../../packages/server/dist/db/connect.js'
import { apiClient, runClients } from './api-client.js'
import { addAccount, startSvc } from './programs.js'
import { checkCpu, measureSides, requestSide, sideOf } from './request-side.js'

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
  const path = `/sms/${await createKey(api)}`
  api.close()
  const script = join(folder, 'sms.lua')
  await writeFile(script, differentMessages)
  const write = (n: number) => accounts.setNickname(account, `write ${String(n)}`).then(() => ({ status: 200 }))
  const writeAll = async () => (await runClients(connections, seconds * 1000, write)).perSecond
  const sides = {
    write: sideOf('write()', process.pid, writeAll, (rate) => rate * seconds),
    sms: requestSide('svc', svc, path, { seconds, connections, script }),
  }
  await measureSides(7, Object.values(sides))
  await Promise.all([svc.stop(), db.close()])

  // As a rate: at least 0.5 × write().
  checkCpu('SMS intake, fifty connections', sides.sms, sides.write, 2)
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
