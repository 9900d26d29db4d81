import { statfs, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from '../../shared/private-file.js'
import type { Check, Context } from './check.js'
import type { Report, Status } from './finding.js'

/** What a file system reports. */
export interface FreeSpace {
  /** Bytes that users other than root may use. */
  readonly freeBytes: number
  readonly bytes: number
  readonly freeInodes: number
  /** 0 for a file system without a limit. */
  readonly inodes: number
}

/** Below a fraction or a number of bytes. */
const limits = {
  warning: { fraction: 0.1, bytes: 1024 ** 3 },
  error: { fraction: 0.01, bytes: 100 * 1024 ** 2 },
} as const

/** The space of the file systems that svc writes to. */
export const diskCheck: Check = {
  section: 'disk',
  deadlineMs: 5_000,
  async run({ config }, report) {
    const seen = new Set<number>()
    for (const path of pathsOf(config)) {
      const existing = await nearestExisting(path)
      const { dev } = await stat(existing)
      if (seen.has(dev)) continue
      seen.add(dev)
      const { bavail, blocks, bsize, ffree: freeInodes, files: inodes } = await statfs(existing)
      reportSpace(existing, { freeBytes: bavail * bsize, bytes: blocks * bsize, freeInodes, inodes }, report)
    }
  },
}

const pathsOf = ({ data, database, blobs }: Context['config']): string[] => [
  data,
  ...(database.kind === 'sqlite' ? [database.file] : []),
  ...(blobs.kind === 'disk' ? [blobs.folder] : []),
]

async function nearestExisting(path: string): Promise<string> {
  try {
    await stat(path)
    return path
  } catch (error) {
    if (codeOf(error) === undefined || dirname(path) === path) throw error
    return nearestExisting(dirname(path))
  }
}

export function reportSpace(path: string, space: FreeSpace, report: Report): void {
  const { freeBytes, bytes, freeInodes, inodes } = space
  const ofBytes = bytes === 0 ? 1 : freeBytes / bytes
  const status = statusOf(ofBytes, freeBytes)
  report.add(
    status,
    `${path} has ${sizeText(freeBytes)} free, ${percent(ofBytes)} of ${sizeText(bytes)}.`,
    status === 'ok' ? undefined : 'Free some space, or move the data to a larger disk: writes fail on a full disk.',
  )
  const ofInodes = inodes === 0 ? 1 : freeInodes / inodes
  const inodeStatus = statusOf(ofInodes, Infinity)
  if (inodeStatus !== 'ok')
    report.add(
      inodeStatus,
      `The file system of ${path} has room for ${String(freeInodes)} more files, ${percent(ofInodes)} of its inodes.`,
      'Remove files, or use a file system with more inodes: new files fail when none is left.',
    )
}

function statusOf(fraction: number, bytes: number): Status {
  if (fraction < limits.error.fraction || bytes < limits.error.bytes) return 'error'
  return fraction < limits.warning.fraction || bytes < limits.warning.bytes ? 'warning' : 'ok'
}

const percent = (fraction: number): string => `${(fraction * 100).toFixed(fraction < 0.1 ? 1 : 0)} %`

/** In the units of `df -h`. */
function sizeText(bytes: number): string {
  const power = Math.min(Math.max(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), 0), 5)
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'][power] ?? ''}`
}
