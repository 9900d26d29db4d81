import { join } from 'node:path'
import { accountStore } from '../../packages/server/dist/areas/account/accounts/store.js'
import { connect } from '../../packages/server/dist/db/connect.js'
import { apiClient, runClients } from './api-client.js'
import { CpuTime } from './cpu-time.js'
import { checkLimit, measureRounds, median, medianRatio, printInfo } from './measure.js'
import { addAccount, startSvc } from './programs.js'

const roundMs = 2_000
const clients = 50

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
  const cpu = new CpuTime(svc.pid)
  let [count, errors] = [0, 0]
  const figures = await measureRounds(5, {
    write: async () => {
      const write = (n: number) => accounts.setNickname(account, `write ${String(n)}`).then(() => ({ status: 200 }))
      return (await runClients(clients, roundMs, write)).perSecond
    },
    sms: () =>
      cpu.measure(
        async () => {
          const post = () => api.send('POST', path, message(count++))
          const rate = await runClients(clients, roundMs, post)
          errors += rate.errors
          return rate.perSecond
        },
        (rate) => (rate * roundMs) / 1000,
      ),
  })
  api.close()
  await Promise.all([svc.stop(), db.close()])

  printInfo('write(), fifty clients', `${String(Math.round(median(figures.write)))} rows/s`)
  printInfo(
    'SMS intake, fifty connections',
    `${String(Math.round(median(figures.sms)))} messages/s, ${(cpu.seconds * 1e6).toFixed(0)} µs of CPU each`,
  )
  checkLimit('errors of the SMS intake', errors, { below: 1 })
  checkLimit('SMS intake, against write()', medianRatio(figures.sms, figures.write), { atLeast: 0.5 })
}

/** As SmsForwarder sends it. No two are equal: a repeat would not be stored. */
const message = (n: number) => ({
  from: '+15550100',
  content: `Your code is ${String(n)}`,
  timestamp: String(Date.now()),
})

async function createKey({ send }: Pick<ReturnType<typeof apiClient>, 'send'>): Promise<string> {
  const { status, text } = await send('POST', '/v1/sms/keys', { label: 'bench' })
  if (status !== 200) throw new Error(text)
  return (JSON.parse(text) as { data: { key: string } }).data.key
}

const fail = (error: Error): never => {
  throw error
}
