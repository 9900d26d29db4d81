import { join } from 'node:path'
import { apiClient } from './api-client.js'
import { measureRounds } from './measure.js'
import { addAccount, startBareServer, startSvc, type Program } from './programs.js'
import { checkCpu, printCpu, requestSide } from './request-side.js'

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
    bare: requestSide(bare, '/'),
    fastify: requestSide(framework, '/'),
    quiet: requestSide(quiet, time),
    logging: requestSide(logging, time),
    full: requestSide(full, time),
    me: requestSide(full, '/v1/account/me', token),
    record: requestSide(full, record, token),
  }
  const figures = await measureRounds(9, {
    bare: sides.bare.run,
    fastify: sides.fastify.run,
    quiet: sides.quiet.run,
    logging: sides.logging.run,
    full: sides.full.run,
    me: sides.me.run,
    record: sides.record.run,
  })
  await Promise.all([bare, framework, quiet, logging, full].map((program) => program.stop()))

  for (const [what, name] of [
    ['bare node:http', 'bare'],
    ['Fastify alone', 'fastify'],
    ['… with ids, envelope, validation and headers', 'quiet'],
    ['… with a log line per request', 'logging'],
    ['… with metrics', 'full'],
    ['GET /v1/account/me', 'me'],
    ['one record', 'record'],
  ] as const)
    printCpu(what, sides[name], figures[name])
  checkCpu('GET /v1/public/time, all layers', sides.full, sides.bare, 2)
  checkCpu('GET /v1/account/me, SQLite', sides.me, sides.bare, 3.8)
  checkCpu('one record, SQLite', sides.record, sides.bare, 4.5)
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
