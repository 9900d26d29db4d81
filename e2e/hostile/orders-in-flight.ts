import type { CaExchange } from '../../packages/server/test/pebble-front.js'

interface Answered {
  readonly status?: string
  readonly authorizations?: readonly string[]
}

const lastOf = (url: string): string => url.split('/').at(-1) ?? ''

/** The orders at a CA that are under way, as proxies in front of it see them: each process has its own. */
export class OrdersInFlight {
  readonly #open = new Map<string, { readonly owner: number; readonly names: string }>()
  /** The orders of authorizations. */
  readonly #orderOf = new Map<string, string>()
  /** Orders that began while another process, or the same one, had one for the same names. */
  readonly overlaps: string[] = []
  count = 0

  observe(owner: number, { path, payload, location, text }: CaExchange): void {
    const [, step, id = ''] = path.split('/')
    const { status, authorizations = [] } = (text.startsWith('{') ? JSON.parse(text) : {}) as Answered
    if (step === 'order-plz' && location !== undefined) {
      const order = lastOf(location)
      for (const authorization of authorizations) this.#orderOf.set(lastOf(authorization), order)
      this.#begin(owner, order, payload)
    }
    const isOver = status === 'invalid' || (status === 'valid' && step !== 'authZ')
    if (isOver) this.#open.delete(step === 'authZ' ? (this.#orderOf.get(id) ?? '') : id)
  }

  /** What a killed process has begun is not continued. */
  endAllOf(owner: number): void {
    for (const [id, order] of this.#open) if (order.owner === owner) this.#open.delete(id)
  }

  #begin(owner: number, id: string, payload: Record<string, unknown>): void {
    const names = (payload['identifiers'] as { value: string }[])
      .map(({ value }) => value)
      .toSorted()
      .join(' ')
    const other = [...this.#open.values()].find((order) => order.names === names)
    if (other !== undefined)
      this.overlaps.push(`${names}: process ${String(other.owner)}, then process ${String(owner)}`)
    this.#open.set(id, { owner, names })
    this.count++
  }
}
