import { once } from 'node:events'
import { connect } from 'node:net'
import { zoneStore } from '../../areas/dns/publishing/zone-store.js'
import type { TlsConfig } from '../../config/tls.js'
import { boundedFetch } from '../../ports/bounded-fetch.js'
import { queryDns } from '../../ports/resolver/dns-query.js'
import { codeOf } from '../../shared/private-file.js'
import { textOf } from './resolvers.js'
import { reasonOf, type Check, type Context } from './check.js'
import type { Report } from './finding.js'

const fetchMs = 4_000
const answerMaxBytes = 16 * 1024 * 1024

/** Whether svc listens on its ports, or another program does. */
export const portsCheck: Check = {
  section: 'ports',
  deadlineMs: 20_000,
  async run(context, report) {
    const { config } = context
    await checkHttp(config, report)
    if (config.tls) await checkTls(config.host, config.tls, report)
    const { provider, host, port, updatePort } = config.dns
    if (provider.kind === 'embedded')
      await checkDns({ host, env: 'SVC_DNS_PORT', port, zone: () => anyZone(context) }, report)
    // Beside PowerDNS, it takes updates and has no zones.
    else if (updatePort !== undefined)
      await checkDns({ host, env: 'SVC_DNS_UPDATE_PORT', port: updatePort, zone: async () => undefined }, report)
    if (config.metrics !== undefined) await checkMetrics(config.metrics, report)
  },
}

/** An address to connect to, for one to listen on. */
const reachable = (host: string): string => ({ '0.0.0.0': '127.0.0.1', '::': '::1' })[host] ?? host

const originOf = (host: string, port: number): string => `http://${textOf({ address: reachable(host), port })}`

const seeLog = 'Look into the log of the server.'
const notRunning = 'Start the server, or run svc doctor with its settings.'

async function checkHttp({ host, port }: Context['config'], report: Report): Promise<void> {
  if (port === 0) {
    report.ok('HTTP is not checked: the server takes any free port, because SVC_PORT is 0.')
    return
  }
  const origin = originOf(host, port)
  const health = await textOn(origin, `${origin}/healthz`, report)
  if (health === undefined) return
  if (isHealthOfSvc(health)) await checkReady(origin, report)
  else report.error(`Another program than svc answers on ${origin}.`, 'Stop it, or set SVC_PORT to another port.')
}

/** Whether a text is svc's answer to /healthz. */
export const isHealthOfSvc = (text: string): boolean =>
  text.startsWith('{"success":true,"data":{"status":"ok"}') && text.includes('"request_id":"req_')

async function checkReady(origin: string, report: Report): Promise<void> {
  const ready = await textAt(`${origin}/readyz`).catch(() => '')
  if (ready.startsWith('{"success":true,"data":{"status":"degraded"'))
    report.warning(
      `svc answers on ${origin}, but stores nothing large: a disk has less free space than SVC_DISK_RESERVE_BYTES.`,
      'Free some space, or move the data to a larger disk.',
    )
  else if (isHealthOfSvc(ready)) report.ok(`svc answers on ${origin}, and is ready.`)
  else report.error(`svc runs on ${origin}, but is not ready: its database or its nameserver does not answer.`, seeLog)
}

/** Whether programs listen on the ports of HTTPS and of the redirects. The section of the public URL checks what answers there. */
async function checkTls(host: string, { port, redirectPort }: TlsConfig, report: Report): Promise<void> {
  const ports = { SVC_TLS_PORT: port, SVC_HTTP_PORT: redirectPort }
  for (const [env, one] of Object.entries(ports)) {
    if (one === undefined || one === 0) continue
    const where = textOf({ address: reachable(host), port: one })
    if (await isListening(reachable(host), one)) report.ok(`A program listens on ${where}, the port of ${env}.`)
    else report.warning(`No program listens on ${where}, the port of ${env}: the server does not run.`, notRunning)
  }
}

async function isListening(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: fetchMs })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    // Refused, or not reachable.
    return false
  } finally {
    socket.destroy()
  }
}

async function checkMetrics({ host, port }: { host: string; port: number }, report: Report): Promise<void> {
  const url = `${originOf(host, port)}/metrics`
  const metrics = await textOn(url, url, report)
  if (metrics === undefined) return
  if (metrics.includes('svc_')) report.ok(`The metrics are on ${url}.`)
  else report.error(`Another program than svc answers on ${url}.`, 'Stop it, or set SVC_METRICS_PORT to another port.')
}

/** @returns undefined without an answer, which it reports */
async function textOn(where: string, url: string, report: Report): Promise<string | undefined> {
  try {
    return await textAt(url)
  } catch (error) {
    if (error instanceof Error && codeOf(error.cause) === 'ECONNREFUSED')
      report.warning(`No program listens on ${where}: the server does not run.`, notRunning)
    else {
      const isLate = error instanceof DOMException && error.name === 'TimeoutError'
      const reason = isLate ? `no answer within ${String(fetchMs / 1000)} seconds` : reasonOf(error)
      report.error(`A program listens on ${where}, but does not answer: ${reason}.`, seeLog)
    }
    return undefined
  }
}

const textAt = async (url: string): Promise<string> =>
  (await boundedFetch(url, { deadlineMs: fetchMs, maxBytes: answerMaxBytes, redirects: 'error' })).text

/** RFC 6761, section 6.4: no nameserver has this zone, and svc refuses the query. */
const noZone = 'svc.invalid'
const refused = 5

interface Listening {
  readonly host: readonly string[]
  /** The setting of the port. */
  readonly env: string
  readonly port: number
  /** A zone that it serves; undefined if it serves no zone. */
  readonly zone: () => Promise<string | undefined>
}

async function checkDns({ host, env, port, zone: findZone }: Listening, report: Report): Promise<void> {
  if (port === 0) {
    report.ok(`DNS is not checked: the server takes any free port, because ${env} is 0.`)
    return
  }
  const zone = await findZone()
  for (const address of host.map(reachable))
    for (const transport of ['udp', 'tcp'] as const) {
      const question = { name: zone ?? noZone, type: 'SOA', transport, recursion: false } as const
      const reply = await queryDns({ address, port }, question)
      const where = `${textOf({ address, port })} over ${transport.toUpperCase()}`
      if (reply === 'refused') report.warning(`No nameserver listens on ${where}: the server does not run.`, notRunning)
      else if (typeof reply === 'string')
        report.error(
          `A query to ${where} gets no answer.`,
          'Check whether another program has the port, and the firewall of this machine.',
        )
      else if (zone === undefined ? reply.rcode === refused : reply.isAuthoritative)
        report.ok(`The nameserver answers on ${where}${zone === undefined ? '' : ` for ${zone}`}.`)
      else
        report.error(
          `The nameserver on ${where} does not answer like svc${zone === undefined ? '' : ` for ${zone}`}: it may be another program.`,
          `Stop it, or set SVC_DNS_HOST or ${env} to another address.`,
        )
    }
}

async function anyZone({ database }: Context): Promise<string | undefined> {
  const db = await database
  if (db === undefined) return undefined
  for await (const name of zoneStore(db).verifiedNames()) return name
  return undefined
}
