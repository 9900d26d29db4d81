import { typeCode } from '../../ports/dns/embedded/codes.js'
import { recordHead, type Placed, type Stored } from '../../ports/dns/embedded/stored.js'
import { ZoneMap, type OwnApex, type ZoneSnapshot } from '../../ports/dns/embedded/zone-map.js'
import { soaNumbers, type SoaNumbers } from '../wire/soa.js'
import type { OpenZone, OpenZones } from './open-zones.js'
import { DamagedCopy, PackedReader, packedParts } from './packed.js'

/** The largest packed form in octets: reading it takes 0.3 ms. Larger zones stay open. */
export const packedMax = 16 * 1024

/** The fewest octets that a name with a record takes. */
const nameMin = 8 + recordHead

const isApexNs = ({ key, type }: Placed): boolean => key === '' && type === typeCode.NS

/**
 * A zone of another nameserver. Until it is asked for, its RRsets are one text, which takes a quarter of the memory: most of the zones are
 * not asked for in an hour. A text takes less than a Buffer.
 */
export class CopiedZone extends ZoneMap implements OpenZone {
  /** What its SOA says about the copy; undefined without a copy. */
  soa: SoaNumbers | undefined
  isUsed = false
  private packed: string | undefined
  private isOpen = true
  private ownApex: OwnApex | undefined

  constructor(
    name: string,
    serial: number,
    private readonly openZones: OpenZones,
  ) {
    super(name, serial)
  }

  /** @param bytes the packed form; not changed afterwards @throws DamagedCopy */
  static fromPacked(name: string, bytes: Buffer, openZones: OpenZones): CopiedZone {
    const first = new PackedReader(bytes).set()
    if (first?.key !== '' || first.set.type !== typeCode.SOA) throw new DamagedCopy('The copy has no SOA.')
    const soa = soaNumbers(bytes, first.set.end)
    const zone = new CopiedZone(name, soa.serial, openZones)
    if (bytes.length > packedMax) zone.read(bytes)
    else {
      zone.soa = soa
      zone.packed = bytes.toString('latin1')
      zone.isOpen = false
    }
    return zone
  }

  get packedSize(): number {
    return this.packed?.length ?? 0
  }

  override get apex(): OwnApex | undefined {
    this.open()
    return this.ownApex
  }

  override node(key: string): Stored | null | undefined {
    this.open()
    return super.node(key)
  }

  override exact(key: string): Stored | undefined {
    this.open()
    return super.exact(key)
  }

  override cutOf(key: string): number {
    this.open()
    return super.cutOf(key)
  }

  override snapshot(): ZoneSnapshot {
    this.open()
    return super.snapshot()
  }

  /** Applies a change. `pack` follows the last one. The SOA is that of the primary. */
  override update(serial: number, changes: readonly Placed[], soa?: Stored): void {
    this.open()
    this.openZones.remove(this)
    this.packed = undefined
    const ns = changes.find(isApexNs)
    if (soa !== undefined) {
      this.soa = soaNumbers(soa.bytes, soa.end)
      this.ownApex = { soa, ns: this.ownApex?.ns }
    }
    // The NS at the apex are not among the other RRsets.
    if (ns !== undefined && this.ownApex !== undefined) this.ownApex = { ...this.ownApex, ns: ns.set }
    super.update(
      serial,
      changes.filter((change) => !isApexNs(change)),
    )
  }

  /** Closes the zone after its last change, unless it is large. */
  pack(): void {
    const { apex } = this
    if (apex === undefined || this.names > packedMax / nameMin) return
    const snapshot = this.snapshot()
    const size = snapshot.sets.reduce((sum, { start, end }) => sum + end - start, 0)
    if (size > packedMax) return
    const bytes = Buffer.concat([...packedParts(apex, snapshot)])
    if (bytes.length > packedMax) return
    this.packed = bytes.toString('latin1')
    this.close()
  }

  /** The packed form, in parts. The zone may change afterwards. */
  parts(): Iterable<Buffer> {
    const { packed } = this
    if (packed !== undefined) return [Buffer.from(packed, 'latin1')]
    const { apex } = this
    if (apex === undefined) throw new Error(`The zone ${this.name} has no SOA.`)
    return packedParts(apex, this.snapshot())
  }

  close(): void {
    this.clear()
    this.ownApex = undefined
    this.isOpen = false
  }

  private open(): void {
    this.isUsed = true
    const { packed } = this
    if (this.isOpen || packed === undefined) return
    // Not from the pool of buffers, which would stay in memory as long as any of its parts.
    const bytes = Buffer.allocUnsafeSlow(packed.length)
    bytes.write(packed, 'latin1')
    this.read(bytes)
    this.openZones.add(this)
  }

  private read(bytes: Buffer): void {
    this.isOpen = true
    const reader = new PackedReader(bytes)
    const soa = reader.set()?.set
    if (soa === undefined) throw new DamagedCopy('The copy has no SOA.')
    this.soa = soaNumbers(bytes, soa.end)
    this.ownApex = { soa, ns: undefined }
    for (let next = reader.set(); next !== undefined; next = reader.set()) {
      const placed = { key: next.key, type: next.set.type, set: next.set }
      if (isApexNs(placed)) this.ownApex = { soa, ns: next.set }
      else super.update(this.serial, [placed])
    }
  }
}
