import { isActive, type Upload } from './upload/queue.js'
import { formatBytes } from '../../parts/format.js'

/** The sums of several uploads. */
export interface Sums {
  readonly active: number
  readonly failed: number
  readonly paused: number
  readonly done: number
  readonly count: number
  readonly percent: number
  /** Undefined if not known. */
  readonly remainingSeconds: number | undefined
}

export function sumsOf(uploads: readonly Upload[]): Sums {
  const of = (phase: Upload['phase']) => uploads.filter((upload) => upload.phase === phase).length
  const sum = (part: (upload: Upload) => number) => uploads.reduce((total, upload) => total + part(upload), 0)
  const size = sum((upload) => upload.size)
  const sent = sum((upload) => upload.sentBytes)
  const speed = sum(({ bytesPerSecond = 0 }) => bytesPerSecond)
  const active = uploads.filter(isActive)
  const rest = active.reduce((total, upload) => total + upload.size - upload.sentBytes, 0)
  return {
    active: active.length,
    failed: of('failed'),
    paused: of('paused'),
    done: of('done'),
    count: uploads.length,
    percent: size === 0 ? 0 : (100 * sent) / size,
    remainingSeconds: speed === 0 ? undefined : rest / speed,
  }
}

/** `40 seconds left`, `3 minutes left`. */
export function formatRemaining(seconds: number): string {
  if (seconds < 90) return `${String(Math.max(1, Math.round(seconds)))} s left`
  if (seconds < 5400) return `${String(Math.round(seconds / 60))} min left`
  return `${(seconds / 3600).toLocaleString(undefined, { maximumFractionDigits: 1 })} h left`
}

/** What happens with an upload, in words. */
export function stateOf({ phase, size, sentBytes, bytesPerSecond }: Upload): string {
  const progress = `${formatBytes(sentBytes)} of ${formatBytes(size)}`
  switch (phase) {
    case 'waiting':
      return `${formatBytes(size)}, waits for its turn`
    case 'finishing':
      return `${formatBytes(size)} sent, the server puts the parts together`
    case 'offline':
      return `${progress}, waits for the connection`
    case 'paused':
      return `${progress}, paused`
    case 'failed':
      return progress
    case 'done':
      return `${formatBytes(size)}, uploaded`
    case 'sending': {
      if (bytesPerSecond === undefined) return progress
      const remaining = formatRemaining((size - sentBytes) / bytesPerSecond)
      return `${progress} · ${formatBytes(bytesPerSecond)}/s · ${remaining}`
    }
  }
}
