/** Numbers of bytes, speeds and durations as text. */

const units = ['KiB', 'MiB', 'GiB', 'TiB'] as const

/** `512 B`, `8.0 MiB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return `${Math.round(bytes)} B`
  // 1023.96 would be rounded to 1024.0.
  const power = Math.min(Math.floor(Math.log(bytes * 1.00005) / Math.log(1024)), units.length)
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1] ?? ''}`
}

export const speedText = (bytesPerSecond: number): string => `${bytesText(bytesPerSecond)}/s`

/** `0:07`, `12:30`, `1:02:03`; `-:--` if it is unknown. @param seconds may be infinite */
export function durationText(seconds: number): string {
  if (!Number.isFinite(seconds)) return '-:--'
  const whole = Math.ceil(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const two = (part: number) => String(part).padStart(2, '0')
  const rest = `:${two(whole % 60)}`
  return hours > 0 ? `${hours}:${two(minutes)}${rest}` : `${minutes}${rest}`
}

/** Speed is measured over this time: long enough to be calm, short enough to show a stop. */
const windowMs = 10_000

/** A shorter distance between two samples adds no accuracy. */
const sampleMs = 250

/** The speed of a transfer in the last ten seconds. Times are milliseconds of a monotonic clock. */
export class Speedometer {
  #samples: { at: number; bytes: number }[]

  constructor(now: number) {
    this.#samples = [{ at: now, bytes: 0 }]
  }

  /** @param bytes the total so far; it may fall when bytes have to be sent again. @returns bytes per second */
  measure(bytes: number, now: number): number {
    const last = this.#samples.at(-1)
    if (last === undefined || now - last.at >= sampleMs) this.#samples.push({ at: now, bytes })
    const inWindow = this.#samples.findIndex(({ at }) => now - at <= windowMs)
    this.#samples = this.#samples.slice(inWindow)
    const [first = { at: now, bytes }] = this.#samples
    return now === first.at ? 0 : Math.max(0, ((bytes - first.bytes) / (now - first.at)) * 1000)
  }
}
