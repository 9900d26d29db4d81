import { join } from 'node:path'
import { apiClient } from './api-client.js'
import { addAccount, startBareServer, startSvc, type Program } from './programs.js'
import { checkCpu, measureSides, printCpu, requestSide } from './request-side.js'

/**
 * The CPU time of a request with each layer of the server, against a bare node:http server that answers the bytes of
 * GET /v1/public/time. Judged by CPU time, because the throughput depends on the other load of the machine.
 */
export async function benchRequests(folder: string): Promise<void> {
  const data = join(folder, 'requests')
  const token = await addAccount(data)
  const bare = await startBareServer(join(folder, 'bare.log'))
  const framework = await startBareServer(join(folder, 'fastify.log'), 'fastify')
  const quiet = await startSvc(data, ['--log-level', 'silent'])
  const logging = await startSvc(data)
  const full = await startSvc(data, ['--metrics-port', '9464'])
  const time = '/v1/public/time'
  const record = await createRecord(full, token)
  const sides = {
    bare: requestSide('node:http', bare, '/'),
    fastify: requestSide('Fastify', framework, '/'),
    quiet: requestSide('svc', quiet, time),
    logging: requestSide('svc', logging, time),
    full: requestSide('svc', full, time),
    me: requestSide('svc', full, '/v1/account/me', { token }),
    record: requestSide('svc', full, record, { token }),
  }
  await measureSides(9, Object.values(sides))
  await Promise.all([bare, framework, quiet, logging, full].map((program) => program.stop()))

  printCpu('node:http alone', sides.bare)
  printCpu('Fastify alone', sides.fastify)
  printCpu('`GET /v1/public/time`, without log and metrics', sides.quiet)
  printCpu('`GET /v1/public/time`, with a log line', sides.logging)
  checkCpu('`GET /v1/public/time`, with log and metrics', sides.full, sides.bare, 2)
  checkCpu('`GET /v1/account/me`', sides.me, sides.bare, 3.8)
  checkCpu('`GET /v1/dns/zones/{zone}/records/{id}`', sides.record, sides.bare, 4.5)
}

/** @returns the path of a new record */
async function createRecord({ url }: Program, token: string): Promise<string> {
  const api = apiClient(url, { authorization: `Bearer ${token}` })
  const records = '/v1/dns/zones/bench.example/records'
  await api.send('POST', '/v1/dns/zones', { zone: 'bench.example' })
  const { status, text } = await api.send('POST', records, { type: 'A', host: 'www', value: '192.0.2.1' })
  api.close()
  if (status !== 200) throw new Error(text)
  return `${records}/${String((JSON.parse(text) as { data: { id: number } }).data.id)}`
}
