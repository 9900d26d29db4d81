import { createServer } from 'node:http'
import { Histogram, Registry, collectDefaultMetrics } from 'prom-client'

/** Counts and times requests. prom-client's look-up by labels costs more than the request's own work: its children are kept. */
export class RequestMetrics {
  readonly registry = new Registry()
  readonly #seconds = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time from the request to the end of its answer',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    registers: [this.registry],
  })
  readonly #kept = new Map<string, { observe: (seconds: number) => void }[]>()

  constructor() {
    collectDefaultMetrics({ register: this.registry })
  }

  observe(operation: string, status: number, ms: number): void {
    let byStatus = this.#kept.get(operation)
    if (byStatus === undefined) this.#kept.set(operation, (byStatus = []))
    const child = (byStatus[status] ??= this.#seconds.labels(operation, String(status)))
    child.observe(ms / 1000)
  }

  /** Serves the metrics on a port of their own. @returns how to stop */
  async serve(host: string, port: number): Promise<() => Promise<void>> {
    const server = createServer((request, response) => {
      void this.registry.metrics().then((text) => {
        response.writeHead(request.url === '/metrics' ? 200 : 404, { 'content-type': this.registry.contentType })
        response.end(request.url === '/metrics' ? text : 'Metrics are at /metrics.\n')
      })
    })
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
