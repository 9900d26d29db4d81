/** Octets of the length before each message (RFC 1035, section 4.2.2). */
export const prefixLength = 2

/** Size in octets up to which a buffer is never compacted. */
const compactAbove = 4096

const none = Buffer.alloc(0)

/**
 * Splits one TCP stream into messages. The time is linear in the octets received, for pieces of any size. The memory is at most
 * twice the octets that are not taken yet.
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

  /** Whether a whole message has arrived. */
  hasWhole(): boolean {
    return this.wholeEnd() <= this.end
  }

  /** @returns the next message, without its length; undefined until all of it has arrived. Valid until the next `push` */
  take(): Buffer | undefined {
    const end = this.wholeEnd()
    if (end > this.end) return undefined
    const message = this.bytes.subarray(this.start + prefixLength, end)
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

  /** The offset after the next message; Infinity until its length has arrived. */
  private wholeEnd(): number {
    const { bytes, start, end } = this
    return end - start < prefixLength ? Infinity : start + prefixLength + bytes.readUInt16BE(start)
  }

  private move(capacity: number): void {
    const moved = Buffer.allocUnsafeSlow(capacity)
    this.end = this.bytes.copy(moved, 0, this.start, this.end)
    this.start = 0
    this.bytes = moved
  }
}
