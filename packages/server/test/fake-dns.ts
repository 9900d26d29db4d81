import { ApiError } from '@svc/contract'
import type { Dns, RRset, Zone, ZoneMark } from '../src/ports/dns/port.js'

/** A DNS provider in memory. `broken` fails every call, like a provider that is down. */
export class FakeDns implements Dns {
  readonly held = new Map<string, Zone>()
  readonly calls: string[] = []
  broken = false
  constructor(readonly isExternal: boolean) {}

  async setZone(zone: Zone) {
    this.#call(`set ${zone.zone}`)
    this.held.set(zone.zone, zone)
  }
  async removeZone(name: string) {
    this.#call(`remove ${name}`)
    this.held.delete(name)
  }
  async zone(name: string) {
    this.#call(`ask ${name}`)
    return this.held.get(name)?.rrsets
  }
  /** Zones that the operator created at the provider, not svc. */
  readonly foreign = new Map<string, RRset[]>()
  async markOf(name: string): Promise<ZoneMark> {
    this.#call(`mark of ${name}`)
    if (this.foreign.has(name)) return 'none'
    return this.held.has(name) ? 'own' : 'missing'
  }
  async mark(name: string) {
    this.#call(`mark ${name}`)
    this.foreign.delete(name)
  }
  async inventory(name: string) {
    const rrsets = this.foreign.get(name)
    return rrsets && { rrsets, unreadable: [], unmanaged: [] }
  }
  publish: Dns['publish'] = () => Promise.reject(new Error('Nothing is published here.'))
  ping = () => Promise.resolve()
  close = () => Promise.resolve()

  #call(call: string) {
    if (this.broken) throw new ApiError('upstream_error', 'The DNS provider is down.')
    this.calls.push(call)
  }
}
