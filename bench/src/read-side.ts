import { apiClient, type ApiClient } from './api-client.js'
import { cpuMilliseconds } from './cpu-time.js'
import type { Access } from './filled-databases.js'
import { median } from './measure.js'
import type { Program } from './programs.js'
import type { Read } from './reads.js'

/** How long the requests of one round take together, in milliseconds. */
const roundMs = 40
/** Requests of `calibrate`. */
export const calibrationRequests = 5
const requests = { min: 3, max: 60 }

/** A running svc with a filled database. */
export class ReadSide {
  readonly #v1: ApiClient
  readonly #console: ApiClient

  /** @param processes of the database, without svc */
  constructor(
    readonly data: string,
    readonly svc: Program,
    { token, cookie }: Access,
    private readonly processes: () => readonly number[],
  ) {
    this.#v1 = apiClient(svc.url, { authorization: `Bearer ${token}` })
    this.#console = apiClient(svc.url, { cookie })
  }

  /** Sends a request, and checks the length of the list in its answer. @returns the bytes of the answer @throws Error */
  async check(read: Read): Promise<number> {
    const { status, text } = await this.#send(read)
    if (status !== 200) throw new Error(`${read.path}: ${text}`)
    if (read.entries === undefined) return Buffer.byteLength(text)
    const { data } = JSON.parse(text) as { data: Record<string, unknown> }
    const list = Object.values(data).find((value) => Array.isArray(value)) ?? []
    if (list.length !== read.entries) throw new Error(`${read.path} lists ${String(list.length)}`)
    return Buffer.byteLength(text)
  }

  /** @returns how many requests fill a round */
  async calibrate(read: Read): Promise<number> {
    const times = []
    for (let n = 0; n < calibrationRequests; n++) {
      const began = performance.now()
      await this.#send(read)
      times.push(performance.now() - began)
    }
    return Math.min(Math.max(Math.ceil(roundMs / median(times)), requests.min), requests.max)
  }

  /** Sends a request so many times, one after the other. @returns milliseconds of CPU time of each, of svc and its database */
  async cpuOf(read: Read, count: number): Promise<number> {
    const before = cpuMilliseconds([this.svc.pid, ...this.processes()])
    for (let n = 0; n < count; n++) await this.#send(read)
    const after = cpuMilliseconds([this.svc.pid, ...this.processes()])
    return [...after].reduce((sum, [pid, ms]) => sum + Math.max(0, ms - (before.get(pid) ?? 0)), 0) / count
  }

  async stop(): Promise<void> {
    this.#v1.close()
    this.#console.close()
    await this.svc.stop()
  }

  readonly #send = ({ path }: Read) => (path.startsWith('/console/') ? this.#console : this.#v1).send('GET', path)
}
