import { Readable } from 'node:stream'
import { checkArchive, type CheckedArchive, type CheckedFile } from '../src/areas/sites/archive/check-archive.js'
import type { ArchiveLimits } from '../src/areas/sites/archive/entry.js'
import type { ArchiveBytes } from '../src/areas/sites/archive/window.js'
import { buildZip, type BuiltEntry } from './built-zip.js'

/** Runs the check of archives over archives in memory. */

const usual: ArchiveLimits = { bytesMax: 1e9, filesMax: 1000 }

/** An archive in memory. */
const inMemory = (zip: Buffer): ArchiveBytes => ({
  size: zip.length,
  open: ({ first, last }) => Promise.resolve(Readable.from([zip.subarray(first, last + 1)])),
})

const check = (zip: Buffer, limits = usual): Promise<CheckedArchive> =>
  checkArchive(inMemory(zip), limits, new AbortController().signal)

/** Why an archive is refused; `accepted` if it is not. */
export const refusal = (zip: Buffer, limits = usual): Promise<string> =>
  check(zip, limits).then(
    () => 'accepted',
    (error: unknown) => (error as Error).message,
  )

/** Why an archive of these entries and an `index.html` is refused. */
export const refusalOf = (...entries: BuiltEntry[]): Promise<string> =>
  refusal(buildZip([{ name: 'index.html', data: 'Home' }, ...entries]))

/** The files that an archive is accepted with. */
export const filesOf = async (...entries: BuiltEntry[]): Promise<readonly CheckedFile[]> =>
  (await check(buildZip(entries))).files

/** Their paths. */
export const pathsOf = async (...entries: BuiltEntry[]): Promise<string[]> =>
  (await filesOf(...entries)).map(({ path }) => path)

/** The files and folders that are skipped. */
export const skippedOf = async (...entries: BuiltEntry[]): Promise<readonly string[]> =>
  (await check(buildZip(entries))).skipped
