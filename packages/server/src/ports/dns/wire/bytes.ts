import { nameMax, writeLabels, writeName } from './names.js'

const initialSize = 64 * 1024
/** Maximum size of a buffer that `take` keeps for the next use. */
const keptMax = 1024 * 1024

/** A buffer that grows as it is written from start to end. */
export class Bytes {
  buffer = Buffer.allocUnsafeSlow(initialSize)
  length = 0

  u8(value: number): void {
    this.reserve(1)
    this.length = this.buffer.writeUInt8(value, this.length)
  }

  u16(value: number): void {
    this.reserve(2)
    this.length = this.buffer.writeUInt16BE(value, this.length)
  }

  u32(value: number): void {
    this.reserve(4)
    this.length = this.buffer.writeUInt32BE(value, this.length)
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.buffer.set(bytes, this.length)
    this.length += bytes.length
  }

  name(text: string): void {
    this.reserve(nameMax)
    this.length = writeName(text, this.buffer, this.length)
  }

  labels(text: string): void {
    this.reserve(nameMax)
    this.length = writeLabels(text, this.buffer, this.length)
  }

  /** @returns a copy of the written bytes; the next write starts at 0 again */
  take(): Buffer {
    const taken = Buffer.allocUnsafeSlow(this.length)
    this.buffer.copy(taken, 0, 0, this.length)
    this.length = 0
    if (this.buffer.length > keptMax) this.buffer = Buffer.allocUnsafeSlow(initialSize)
    return taken
  }

  private reserve(count: number): void {
    if (this.length + count <= this.buffer.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (this.length + count))
    this.buffer.copy(larger, 0, 0, this.length)
    this.buffer = larger
  }
}
