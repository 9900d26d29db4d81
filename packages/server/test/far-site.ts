import { rm } from 'node:fs/promises'
import { afterEach, beforeEach } from 'vitest'
import type { Nameserver } from '../src/nameserver/nameserver.js'
import { ask, exchangeUdp } from './dns-ask.js'
import {
  address,
  catalogName,
  catalogRecords,
  FakePrimary,
  nameserver as ns,
  type PrimaryZone,
} from './fake-primary.js'
import { folder, portOf, startFar, type FarOptions } from './far-nameserver.js'

/** A far nameserver and its primary, over real sockets. Both are new for each test. */
export class FarSite {
  primary = new FakePrimary()
  far: Nameserver | undefined
  /** The data directory of the far nameserver. */
  data = ''

  constructor() {
    beforeEach(async () => {
      this.primary = await FakePrimary.start()
      this.data = await folder()
    })
    afterEach(async () => {
      await this.far?.close()
      this.far = undefined
      await this.primary.close()
      await rm(this.data, { recursive: true })
    })
  }

  async start(options: Partial<FarOptions> = {}): Promise<void> {
    this.far = await startFar({ primary: this.primary.port, data: this.data, ...options })
  }

  setCatalog(serial: number, members: Readonly<Record<string, string>>, version?: readonly string[]): void {
    this.primary.zones.set(catalogName, { serial, records: catalogRecords(members, version) })
  }

  /** A zone with one address at www. */
  setZone(name: string, serial: number, ip: string, more: Partial<PrimaryZone> = {}): void {
    this.primary.zones.set(name, { serial, records: [ns(name), address(`www.${name}`, ip)], ...more })
  }

  get port(): number {
    if (this.far === undefined) throw new Error('The far nameserver is not started.')
    return portOf(this.far)
  }

  /** The address or the RCODE that the far nameserver answers. */
  async resolved(name: string): Promise<string> {
    const { rcode, answers } = await ask(this.port, name, 'A')
    return answers[0]?.value ?? rcode
  }

  /** Sends a NOTIFY. @returns the RCODE of the answer */
  async notify(zone: string): Promise<number> {
    const name = zone.split('.').map((label) => String.fromCharCode(label.length) + label)
    const packet = Buffer.from(`\0\x07\x20\0\0\x01\0\0\0\0\0\0${name.join('')}\0\0\x06\0\x01`, 'latin1')
    const reply = await exchangeUdp(packet, this.port)
    return reply.readUInt8(3) & 0x0f
  }

  async status(path: string): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`http://127.0.0.1:${String(this.far?.statusPort)}${path}`)
    return { status: response.status, text: await response.text() }
  }
}
