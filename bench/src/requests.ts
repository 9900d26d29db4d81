import { join } from 'node:path'
import { info, limit, median, ratio, rounds } from './measure.js'
import { bare, load, operator, serve } from './programs.js'

/** The cost of a request by layer, compared with a bare node:http server that answers the same bytes. */
export async function benchRequests(folder: string): Promise<void> {
  const data = join(folder, 'requests')
  await operator(data, 'user', 'add', 'bench@example.com')
  const { token } = await operator(data, 'token', 'add', 'bench@example.com', '--name', 'bench')
  const floor = await bare(join(folder, 'bare.log'))
  const framework = await bare(join(folder, 'fastify.log'), 'fastify')
  const quiet = await serve(data, ['--log-level', 'silent'])
  const logging = await serve(data)
  const full = await serve(data, ['--metrics-port', '9464'])
  const time = '/v1/public/time'

  const figures = await rounds(5, {
    bare: () => load(floor.url),
    fastify: () => load(framework.url),
    quiet: () => load(quiet.url + time),
    logging: () => load(logging.url + time),
    full: () => load(full.url + time),
    me: () => load(`${full.url}/v1/account/me`, { token: String(token) }),
  })
  await Promise.all([floor, framework, quiet, logging, full].map((program) => program.stop()))

  info('bare node:http', `${Math.round(median(figures.bare))} requests/s`)
  for (const [layer, name] of [
    ['Fastify alone', 'fastify'],
    ['… with ids, envelope, validation and headers', 'quiet'],
    ['… with a log line for each', 'logging'],
    ['… with metrics', 'full'],
  ] as const)
    info(layer, `${ratio(figures[name], figures.bare).toFixed(2)} of bare`)
  limit('GET /v1/public/time with all layers, ratio to bare node:http', ratio(figures.full, figures.bare), {
    atLeast: 0.5,
  })
  limit('GET /v1/account/me with SQLite, ratio to bare node:http', ratio(figures.me, figures.bare), { atLeast: 0.35 })
}
