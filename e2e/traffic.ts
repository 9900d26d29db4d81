import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { Machine } from './machine.js'

/** Clients that write records and files until they are stopped. */

/** The names of what a server has acknowledged. */
interface Acknowledged {
  readonly hosts: readonly string[]
  readonly files: readonly string[]
}

const zone = 'example.com'
const contentOf = (name: string) => name.repeat(2000)

export class Traffic {
  readonly #hosts: string[] = []
  readonly #files: string[] = []
  readonly #clients: Promise<unknown>
  #isStopped = false

  /** @param token of an account that has verified the zone example.com */
  constructor(
    private readonly machine: Machine,
    private readonly token: string,
  ) {
    this.#clients = Promise.all([
      ...['a', 'b', 'c'].map((name) => this.#writeRecords(name)),
      ...['d', 'e'].map((name) => this.#writeFiles(name)),
    ])
  }

  async #writeRecords(name: string): Promise<void> {
    for (let i = 0; !this.#isStopped; i++) {
      const host = `${name}${i}`
      await this.#call(this.machine, `dns/zones/${zone}/records`, { type: 'TXT', host, value: host })
      this.#hosts.push(host)
    }
  }

  async #writeFiles(name: string): Promise<void> {
    for (let i = 0; !this.#isStopped; i++) {
      const file = `file-${name}${i}`
      const content = Buffer.from(contentOf(file)).toString('base64')
      await this.#call(this.machine, 'files/upload', { name: file, content })
      this.#files.push(file)
    }
  }

  async #call({ url }: Machine, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' }
    const write = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${url}/v1/${path}`, { headers, ...write })
    const text = await response.text()
    expect(response.status, text).toBe(200)
    return (JSON.parse(text) as { data: Record<string, unknown> }).data
  }

  acknowledged(): Acknowledged {
    return { hosts: [...this.#hosts], files: [...this.#files] }
  }

  async untilBusy(): Promise<void> {
    await expect.poll(() => this.#hosts.length > 20 && this.#files.length > 10, { timeout: 10_000 }).toBe(true)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#clients
  }

  /** Checks that a machine has all of it, with its bytes. */
  async expectThere(machine: Machine, { hosts, files }: Acknowledged): Promise<void> {
    const { records } = await this.#call(machine, `dns/zones/${zone}/records`)
    const present = new Set((records as { host: string }[]).map(({ host }) => host))
    expect(hosts.filter((host) => !present.has(host))).toEqual([])
    const sums = new Map<string, string>()
    for (let before = ''; ;) {
      const page = await this.#call(machine, `files?limit=1000${before}`)
      for (const { name, sha256 } of page['files'] as { name: string; sha256: string }[]) sums.set(name, sha256)
      if (typeof page['next'] !== 'number') break
      before = `&before=${page['next']}`
    }
    const sumOf = (name: string) => createHash('sha256').update(contentOf(name)).digest('hex')
    expect(files.filter((name) => sums.get(name) !== sumOf(name))).toEqual([])
  }
}
