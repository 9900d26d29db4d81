/** A zone whose RRsets are in memory, and can be closed: they are read again from its packed form at the next question. */
export interface OpenZone {
  /** Set by each question. */
  isUsed: boolean
  /** Octets of its packed form. */
  readonly packedSize: number
  close(): void
}

/** Octets of packed forms. With ten records in a zone, 750 zones are open, in 2 MB. */
const defaultMax = 512 * 1024

/** Bounds the memory of open zones: closes those that were not asked for since the last round (the clock algorithm). */
export class OpenZones {
  private readonly zones = new Set<OpenZone>()
  private octets = 0

  constructor(private readonly max = defaultMax) {}

  add(zone: OpenZone): void {
    zone.isUsed = true
    this.zones.add(zone)
    this.octets += zone.packedSize
    for (const oldest of this.zones) {
      if (this.octets <= this.max) return
      const { isUsed } = oldest
      this.remove(oldest)
      if (!isUsed) oldest.close()
      else {
        oldest.isUsed = false
        this.zones.add(oldest)
        this.octets += oldest.packedSize
      }
    }
  }

  /** Keeps the zone open. No-op if it is not here. */
  remove(zone: OpenZone): void {
    if (this.zones.delete(zone)) this.octets -= zone.packedSize
  }
}
