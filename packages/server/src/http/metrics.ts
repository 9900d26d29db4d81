import { createServer } from 'node:http'
import type { Logger } from 'pino'
import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client'
import type { MailKind } from '../ports/mail/kinds.js'
import type { MailOutcome } from '../ports/mail/outbox/mailer.js'
import type { QueryCounts } from '../ports/dns/query-counts.js'
import type { DiskSpace } from '../ports/space/port.js'
import type { OrderFailure } from '../ports/certificates/acme/manager.js'
import type { Certificate } from '../ports/certificates/port.js'
import { keepAccepting } from './connections.js'
import { RequestDurations } from './request-durations.js'
import type { HandshakeOutcome } from './tls/handshake-queue.js'

/** Maximum connections to the metrics at a time, and how long one may be idle. */
const scrapers = 32
const idleMs = 60_000

const serverLimits = { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 }

/** The metrics of prom-client, after the durations of requests. */
class RequestRegistry extends Registry {
  readonly durations = new RequestDurations()

  override async metrics(): Promise<string> {
    return `${this.durations.text()}\n\n${await super.metrics()}`
  }
}

/** Certificates that have a label each: those that expire first. */
const shownCertificates = 100
const dayMs = 86_400_000

/** Counts and times requests, and counts failed jobs. */
export class Metrics {
  readonly registry = new RequestRegistry()
  readonly #refused = new Counter({
    name: 'svc_http_connections_refused_total',
    help: 'Connections refused because too many were open',
    registers: [this.registry],
  })
  readonly #failedJobs = new Counter({
    name: 'svc_job_failures_total',
    help: 'Failed runs of periodic jobs',
    labelNames: ['job'] as const,
    registers: [this.registry],
  })

  readonly #failedOrders = new Counter({
    name: 'svc_tls_order_failures_total',
    help: 'Orders of certificates that failed, by the reason',
    labelNames: ['reason'] as const,
    registers: [this.registry],
  })

  #handshakes: Counter<'outcome'> | undefined
  #mails: Counter<'kind' | 'outcome'> | undefined
  #waitingMails: Gauge | undefined

  /** @param measured the space of the disks */
  constructor(measured: DiskSpace['measured'] = () => []) {
    collectDefaultMetrics({ register: this.registry })
    this.#addDisks(measured)
  }

  observe(operation: string, status: number, ms: number): void {
    this.registry.durations.observe(operation, status, ms / 1000)
  }

  refusedConnection(): void {
    this.#refused.inc()
  }

  failedJob(job: string): void {
    this.#failedJobs.inc({ job })
  }

  /** Adds the metrics of TLS. @param certificates those that are served now */
  addTls(certificates: () => Iterable<Certificate>): void {
    const registers = [this.registry]
    this.#handshakes = new Counter({
      name: 'svc_tls_handshakes_total',
      help: 'Connections to the port of TLS, by the outcome of their handshake',
      labelNames: ['outcome'] as const,
      registers,
    })
    new Gauge({
      name: 'svc_tls_certificates',
      help: 'Certificates that are served',
      registers,
      collect() {
        this.set([...certificates()].length)
      },
    })
    new Gauge({
      name: 'svc_tls_certificate_days_left',
      help: `Days until a certificate expires, by its first name, for the ${String(shownCertificates)} that expire first. Without those that are not renewed any more`,
      labelNames: ['name'] as const,
      registers,
      collect() {
        this.reset()
        const first = [...certificates()]
          .filter(({ isEnding }) => !isEnding)
          .toSorted((a, b) => a.validUntil - b.validUntil)
          .slice(0, shownCertificates)
        // Of several with one name, the first to expire counts.
        for (const { names, validUntil } of first.toReversed())
          this.set({ name: names[0] ?? '' }, (validUntil - Date.now()) / dayMs)
      },
    })
  }

  /** Adds the metrics of the nameserver in this process. Zones are no labels: there may be any number of them. */
  addDns(counts: Pick<QueryCounts, 'totals' | 'zones'>): void {
    const registers = [this.registry]
    new Counter({
      name: 'svc_dns_queries_total',
      help: 'DNS messages, by the transport and the outcome',
      labelNames: ['transport', 'outcome'] as const,
      registers,
      collect() {
        this.reset()
        for (const { transport, outcome, count } of counts.totals()) this.inc({ transport, outcome }, count)
      },
    })
    new Gauge({
      name: 'svc_dns_zones',
      help: 'Zones that the nameserver serves',
      registers,
      collect() {
        this.set(counts.zones())
      },
    })
  }

  /** Adds the metrics of e-mails. */
  addMail(): void {
    const registers = [this.registry]
    this.#mails = new Counter({
      name: 'svc_mail_total',
      help: 'Attempts to send an e-mail, and e-mails that were dropped because too many wait, by the kind and the outcome',
      labelNames: ['kind', 'outcome'] as const,
      registers,
    })
    this.#waitingMails = new Gauge({
      name: 'svc_mail_waiting',
      help: 'E-mails that wait to be sent; counted once a minute',
      registers,
    })
  }

  readonly countMail = (kind: MailKind, outcome: MailOutcome): void => {
    this.#mails?.inc({ kind, outcome })
  }

  readonly setWaitingMails = (count: number): void => {
    this.#waitingMails?.set(count)
  }

  failedOrder(reason: OrderFailure): void {
    this.#failedOrders.inc({ reason })
  }

  handshake(outcome: HandshakeOutcome): void {
    this.#handshakes?.inc({ outcome })
  }

  #addDisks(measured: DiskSpace['measured']): void {
    const add = (name: string, help: string, value: 'freeBytes' | 'reserveBytes') =>
      new Gauge({
        name,
        help,
        labelNames: ['path'] as const,
        registers: [this.registry],
        collect() {
          for (const space of measured()) this.set({ path: space.path }, space[value])
        },
      })
    add('svc_disk_free_bytes', 'Bytes that svc may still write to the disk of a directory', 'freeBytes')
    add('svc_disk_reserve_bytes', 'Free bytes below which nothing large is stored', 'reserveBytes')
  }

  /** Serves the metrics on a separate port. @returns a function that stops the server */
  async serve(host: string, port: number, log: Logger): Promise<() => Promise<void>> {
    const server = createServer(serverLimits, (request, response) => {
      const answer = (status: number, text: string) =>
        response.writeHead(status, { 'content-type': this.registry.contentType }).end(text)
      if (request.url !== '/metrics') {
        answer(404, 'Metrics are at /metrics.\n')
        return
      }
      this.registry.metrics().then(
        (text) => answer(200, text),
        (error: unknown) => {
          log.error({ err: error }, 'the metrics could not be gathered')
          answer(500, 'The metrics could not be gathered.\n')
        },
      )
    })
    server.maxConnections = scrapers
    server.timeout = idleMs
    server.on('connection', (socket) => {
      socket.on('error', () => socket.destroy())
    })
    keepAccepting(server, log)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, resolve)
    })
    return () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      })
  }
}
