/** Octets of the length before each message (RFC 1035, section 4.2.2). */
export const prefix = 2

/** Smaller buffers are kept as they are. */
const compactAbove = 4096

const none = Buffer.alloc(0)

/**
 * The messages of one TCP stream. Costs grow with the octets received, however small the pieces are that they come in; memory is at
 * most twice what is not taken yet.
 */
export class TcpMessages {
  private bytes: Buffer = none
  private start = 0
  private end = 0

  push(chunk: Buffer): void {
    if (this.start === this.end) {
      this.bytes = chunk
      this.start = 0
      this.end = chunk.length
      return
    }
    if (this.end + chunk.length > this.bytes.length) this.move(2 * (this.end - this.start + chunk.length))
    this.end += chunk.copy(this.bytes, this.end)
  }

  /** Whether `take` has a message. */
  hasWhole(): boolean {
    return this.wholeEnd() <= this.end
  }

  /** @returns the next message, without its length; undefined until all of it has come. Valid until the next `push` */
  take(): Buffer | undefined {
    const end = this.wholeEnd()
    if (end > this.end) return undefined
    const message = this.bytes.subarray(this.start + prefix, end)
    this.start = end
    return message
  }

  /** Releases the memory of earlier messages: a few octets must not keep a large buffer. */
  compact(): void {
    const length = this.end - this.start
    if (length === 0) {
      this.bytes = none
      this.start = this.end = 0
    } else if (this.bytes.length > Math.max(compactAbove, 2 * length)) this.move(length)
  }

  /** Where the next message ends; beyond every end while its length has not come. */
  private wholeEnd(): number {
    const { bytes, start, end } = this
    return end - start < prefix ? Infinity : start + prefix + bytes.readUInt16BE(start)
  }

  private move(capacity: number): void {
    const moved = Buffer.allocUnsafeSlow(capacity)
    this.end = this.bytes.copy(moved, 0, this.start, this.end)
    this.start = 0
    this.bytes = moved
  }
}
