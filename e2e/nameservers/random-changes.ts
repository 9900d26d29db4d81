import { change } from '../../packages/server/test/dns-update.js'
import { sendUpdate } from '../../packages/server/test/dns-updater.js'
import { dyndns } from '../../packages/server/test/dyndns-client.js'
import type { TsigKey } from '../../packages/server/src/ports/dns/wire/tsig.js'
import type { Random } from '../hostile/random.js'

/** Random changes of zones in each way that svc offers. */

export interface ChangedServer {
  readonly url: string
  readonly dnsPort: number
  /** Of the account that has verified the zones. */
  readonly token: string
  /** Tokens for dynamic DNS, which takes 60 changes of each in an hour. */
  readonly dynamicTokens: readonly string[]
  readonly key: TsigKey
  readonly zones: readonly string[]
}

type ChangeKind = keyof typeof weights

/** How often each kind of change is made, in percent. */
const weights = { create: 30, update: 14, delete: 10, batch: 12, import: 6, revert: 6, message: 18, dynamic: 4 }

/** Beyond as many records in a zone, a third is deleted. */
const recordsMax = 90

interface Listed {
  readonly id: number
  readonly host: string
  readonly type: string
}

interface Answer {
  readonly status: number
  readonly data: Record<string, unknown>
}

export class RandomChanges {
  /** How many changes of each kind the server has made. Refused ones, such as those that conflict, do not count. */
  readonly made = new Map<ChangeKind, number>()

  constructor(
    private readonly server: () => ChangedServer,
    private readonly numbers: Random,
  ) {}

  get count(): number {
    return [...this.made.values()].reduce((sum, one) => sum + one, 0)
  }

  /** Makes random changes, some at the same time, until so many have been made. @param everyMs milliseconds between two, on average */
  async make(count: number, everyMs: number): Promise<void> {
    const until = this.count + count
    const clients = 4
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (this.count < until) {
          await this.makeOne()
          await new Promise((resolve) => setTimeout(resolve, this.numbers.next() * 2 * clients * everyMs))
        }
      }),
    )
  }

  /**
   * Replaces a text of 12,000 octets so often that the changes take more than two megabytes. NSD 4.6 does not transfer records of more than
   * 16 KiB to others, and so a test could not compare them.
   */
  async overflow(zone: string): Promise<void> {
    for (let n = 0; n < 100; n++) {
      const values = [`${String(n)} ${'x'.repeat(12_000)}`]
      const { status } = await this.call('POST', zone, '/records/batch', {
        changes: [{ replace: { host: 'large', type: 'TXT', values, ttl: 60 } }],
      })
      if (status !== 200) throw new Error(`The large text was refused with ${String(status)}.`)
    }
  }

  private async makeOne(): Promise<void> {
    const { numbers } = this
    const zone = numbers.pick(this.server().zones)
    let at = numbers.integer(0, 99)
    const [kind] = (Object.entries(weights) as [ChangeKind, number][]).find(([, weight]) => (at -= weight) < 0)!
    if (await this.attempt(kind, zone)) this.made.set(kind, (this.made.get(kind) ?? 0) + 1)
  }

  /** @returns whether the server has made the change */
  private async attempt(kind: ChangeKind, zone: string): Promise<boolean> {
    const { numbers } = this
    switch (kind) {
      case 'create':
        return this.isMade('POST', zone, '/records', this.newRecord())
      case 'update':
      case 'delete': {
        const record = await this.anyRecord(zone)
        if (record === undefined) return false
        const body = { ttl: numbers.integer(60, 600) }
        return this.isMade(kind === 'update' ? 'PATCH' : 'DELETE', zone, `/records/${String(record.id)}`, body)
      }
      case 'batch':
        return this.isMade('POST', zone, '/records/batch', { changes: await this.batchOf(zone) })
      case 'import': {
        const text = Array.from({ length: numbers.integer(1, 6) }, () => this.zoneFileLine()).join('')
        return this.isMade('POST', zone, '/zone-file/import', { text, replace: numbers.integer(0, 3) === 0 })
      }
      case 'revert':
        return this.revert(zone)
      case 'message':
        return this.sendMessage(zone)
      case 'dynamic': {
        const { dynamicTokens } = this.server()
        const host = `${numbers.pick(['home', 'office', 'a.lab'])}.${zone}`
        const { text } = await dyndns(
          this.server(),
          numbers.pick(dynamicTokens),
          `hostname=${host}&myip=${this.address()},2001:db8::${numbers.integer(1, 9999).toString(16)}`,
        )
        return text.startsWith('good')
      }
    }
  }

  private async revert(zone: string): Promise<boolean> {
    const { data } = await this.call('GET', zone, '/history?limit=6')
    const serials = (data['changes'] as { serial: number }[]).map(({ serial }) => serial)
    if (serials.length === 0) return false
    const serial = this.numbers.pick(serials)
    return this.isMade('POST', zone, '/history/revert', this.numbers.integer(0, 1) === 0 ? { serial } : { to: serial })
  }

  private async sendMessage(zone: string): Promise<boolean> {
    const { numbers } = this
    const { key, dnsPort } = this.server()
    const host = this.host()
    const updates = [
      ...(numbers.integer(0, 2) === 0 ? [change.removeRRset(host, numbers.pick(['A', 'TXT', 'MX', 'CNAME']))] : []),
      ...(numbers.integer(0, 9) === 0 ? [change.removeName(this.host())] : []),
      ...(numbers.integer(0, 3) > 0 ? [change.add(host, numbers.integer(60, 600), 'A', this.address())] : []),
      change.add(this.host(), 300, 'TXT', `message ${String(numbers.integer(0, 5))}`),
    ]
    return (await sendUpdate(key, { zone, updates }, dnsPort, numbers.pick(['udp', 'tcp'] as const))) === 'NOERROR'
  }

  private async batchOf(zone: string): Promise<object[]> {
    const { numbers } = this
    const { data } = await this.call('GET', zone, '/records')
    const records = data['records'] as Listed[]
    if (records.length > recordsMax)
      return records.filter(() => numbers.integer(0, 2) === 0).map(({ id }) => ({ delete: { id } }))
    return Array.from({ length: numbers.integer(1, 8) }, () => {
      const { type, host, value } = this.newRecord()
      const values = Array.from({ length: numbers.integer(0, 3) }, () => this.address())
      return numbers.integer(0, 1) === 0
        ? { replace: { host: this.host(), type: 'A', ...(values.length > 0 ? { values, ttl: 120 } : { values: [] }) } }
        : { create: { type, host, value, ttl: 300, ...(type === 'MX' && { priority: 10 }) } }
    })
  }

  private async anyRecord(zone: string): Promise<Listed | undefined> {
    const { data } = await this.call('GET', zone, '/records')
    const records = data['records'] as Listed[]
    return records.length === 0 ? undefined : this.numbers.pick(records)
  }

  private newRecord(): { type: string; host: string; value: string; ttl: number; priority?: number } {
    const { numbers } = this
    const [type, value] = numbers.pick<[string, string]>([
      ['A', this.address()],
      ['A', this.address()],
      ['AAAA', `2001:db8::${numbers.integer(1, 9999).toString(16)}`],
      ['TXT', `text "${String(numbers.integer(0, 20))}" \\ Grüße ${'x'.repeat(numbers.integer(0, 400))}`],
      ['MX', `mail${String(numbers.integer(0, 4))}.example.net`],
      ['CNAME', 'target.example.net'],
      ['SRV', `5 5060 sip${String(numbers.integer(0, 4))}.example.net`],
      ['CAA', `0 issue "ca${String(numbers.integer(0, 4))}.example"`],
      ['NS', `ns${String(numbers.integer(0, 4))}.example.net`],
    ])
    const priority = type === 'MX' || type === 'SRV' ? { priority: numbers.integer(0, 50) } : {}
    const host = type === 'NS' ? `sub${String(numbers.integer(0, 3))}` : this.host()
    return { type, host, value, ttl: numbers.integer(60, 600), ...priority }
  }

  private zoneFileLine(): string {
    const { numbers } = this
    const host = this.host()
    return numbers.integer(0, 1) === 0
      ? `${host} ${String(numbers.integer(60, 600))} IN A ${this.address()}\n`
      : `${host} 300 IN TXT "line ${String(numbers.integer(0, 9))}"\n`
  }

  private host(): string {
    const { numbers } = this
    return numbers.pick(['@', 'www', '*', '*.wild', 'a.b.c', '_sip._tcp', `h${String(numbers.integer(0, 25))}`])
  }

  private address(): string {
    return `192.0.2.${String(this.numbers.integer(1, 254))}`
  }

  private async isMade(method: string, zone: string, path: string, body: object): Promise<boolean> {
    return (await this.call(method, zone, path, body)).status === 200
  }

  /** @throws Error for an answer that is neither a success nor a refusal of the change */
  private async call(method: string, zone: string, path: string, body?: object): Promise<Answer> {
    const { url, token } = this.server()
    const response = await fetch(`${url}/v1/dns/zones/${zone}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(30_000),
      ...(body !== undefined && method !== 'DELETE' && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (![200, 400, 404].includes(response.status)) throw new Error(`${method} ${path} of ${zone}: ${text}`)
    return { status: response.status, data: (JSON.parse(text) as { data?: Answer['data'] }).data ?? {} }
  }
}
