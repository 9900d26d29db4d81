import { join } from 'node:path'
import { checkLimit, measureRounds, median, medianRatio, printInfo } from './measure.js'
import { requestsPerSecond, runOperatorCommand, startBareServer, startSvc } from './programs.js'

/** Requests per second with each layer of the server, against a bare node:http server that answers the same bytes. */
export async function benchRequests(folder: string): Promise<void> {
  const data = join(folder, 'requests')
  await runOperatorCommand(data, 'user', 'add', 'bench@example.com')
  const { token } = await runOperatorCommand(data, 'token', 'add', 'bench@example.com', '--name', 'bench')
  const bare = await startBareServer(join(folder, 'bare.log'))
  const framework = await startBareServer(join(folder, 'fastify.log'), 'fastify')
  const quiet = await startSvc(data, ['--log-level', 'silent'])
  const logging = await startSvc(data)
  const full = await startSvc(data, ['--metrics-port', '9464'])
  const time = '/v1/public/time'

  const figures = await measureRounds(5, {
    bare: () => requestsPerSecond(bare.url),
    fastify: () => requestsPerSecond(framework.url),
    quiet: () => requestsPerSecond(quiet.url + time),
    logging: () => requestsPerSecond(logging.url + time),
    full: () => requestsPerSecond(full.url + time),
    me: () => requestsPerSecond(`${full.url}/v1/account/me`, { token: String(token) }),
  })
  await Promise.all([bare, framework, quiet, logging, full].map((program) => program.stop()))

  printInfo('bare node:http', `${Math.round(median(figures.bare))} requests/s`)
  for (const [layer, name] of [
    ['Fastify alone', 'fastify'],
    ['… with ids, envelope, validation and headers', 'quiet'],
    ['… with a log line per request', 'logging'],
    ['… with metrics', 'full'],
  ] as const)
    printInfo(layer, `${medianRatio(figures[name], figures.bare).toFixed(2)} of bare`)
  checkLimit('GET /v1/public/time, all layers, against bare node:http', medianRatio(figures.full, figures.bare), {
    atLeast: 0.5,
  })
  checkLimit('GET /v1/account/me, SQLite, against bare node:http', medianRatio(figures.me, figures.bare), {
    atLeast: 0.35,
  })
}
