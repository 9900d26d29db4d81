import { createHash, hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { TimeSlices } from '../../../shared/time-slices.js'
import { refuseArchive, refuseEntry } from './archive-error.js'
import { readDirectory } from './directory.js'
import type { ArchiveLimits, FileEntry } from './entry.js'
import { locateData } from './local-header.js'
import { readData, smallFileMax, unpack, unpackPieces, type LocatedFile } from './unpack.js'
import { ArchiveWindow, type ArchiveBytes } from './window.js'

/** A file of an archive whose data has been unpacked and checked. */
export interface CheckedFile extends LocatedFile {
  /** Lower-case hexadecimal. */
  readonly sha256: string
}

/** Names of the files with rules, which are not served. */
const headersFile = '_headers'
const redirectsFile = '_redirects'

/** The most bytes of each of them. */
const rulesBytesMax = 100_000

/** An archive that has been checked completely. */
export interface CheckedArchive {
  /** The files to serve, in the order of their positions in the archive. */
  readonly files: readonly CheckedFile[]
  /** Of the directory. */
  readonly skipped: readonly string[]
  /** The text of `_headers`, if the archive has it. */
  readonly headers?: string
  readonly redirects?: string
}

/**
 * Checks a whole archive, and hashes its files.
 * @param signal ends the work
 * @throws ApiError `bad_request` that names the entry and the reason; StorageError
 */
export async function checkArchive(
  archive: ArchiveBytes,
  limits: ArchiveLimits,
  signal: AbortSignal,
): Promise<CheckedArchive> {
  const window = new ArchiveWindow(archive)
  const slices = new TimeSlices(signal)
  const directory = await readDirectory(window, limits, slices)
  const files: CheckedFile[] = []
  let end = 0
  for (const entry of directory.files) {
    if (entry.offset < end) throw refuseEntry(entry.path, 'overlaps another entry')
    const file = await checkFile(window, entry, directory.start, slices)
    end = file.start + file.compressedSize
    files.push(file)
    if (slices.isOver) await slices.next()
  }
  return { ...(await withRules(window, withoutTopFolder(files))), skipped: directory.skipped }
}

async function checkFile(
  window: ArchiveWindow,
  entry: FileEntry,
  end: number,
  slices: TimeSlices,
): Promise<CheckedFile> {
  const file = { ...entry, start: await locateData(window, entry, end) }
  const { crc, sha256 } = isSmall(file)
    ? await digestSmall(window, file)
    : await digestLarge(unpackPieces(window, file), slices)
  if (crc !== entry.crc32) throw refuseEntry(entry.path, 'is damaged: its CRC-32 is not the declared one')
  return { ...file, sha256 }
}

/** Whether a file is unpacked at once. */
export const isSmall = ({ size, compressedSize }: FileEntry): boolean => Math.max(size, compressedSize) <= smallFileMax

async function digestSmall(window: ArchiveWindow, file: LocatedFile) {
  const bytes = unpack(file, await readData(window, file))
  return { crc: crc32(bytes), sha256: hash('sha256', bytes) }
}

async function digestLarge(pieces: AsyncIterable<Buffer>, slices: TimeSlices) {
  const digest = createHash('sha256')
  let crc = 0
  for await (const piece of pieces) {
    digest.update(piece)
    crc = crc32(piece, crc)
    if (slices.isOver) await slices.next()
  }
  return { crc, sha256: digest.digest('hex') }
}

/**
 * Takes the files out of the one folder that they are all in, if that folder looks like a site: it has an `index.html`. Programs that
 * zip a folder put it into the archive.
 */
function withoutTopFolder(files: readonly CheckedFile[]): readonly CheckedFile[] {
  const [first] = files
  const top = first?.path.slice(0, first.path.indexOf('/') + 1) ?? ''
  const isSite = top !== '' && files.every(({ path }) => path.startsWith(top))
  if (!isSite || !files.some(({ path }) => path === `${top}index.html`)) return files
  return files.map((file) => ({ ...file, path: file.path.slice(top.length) }))
}

async function withRules(
  window: ArchiveWindow,
  files: readonly CheckedFile[],
): Promise<Omit<CheckedArchive, 'skipped'>> {
  const headers = await readText(window, files, headersFile)
  const redirects = await readText(window, files, redirectsFile)
  const served = files.filter(({ path }) => path !== headersFile && path !== redirectsFile)
  if (served.length === 0) throw refuseArchive('has no files to serve')
  return { files: served, ...(headers !== undefined && { headers }), ...(redirects !== undefined && { redirects }) }
}

async function readText(window: ArchiveWindow, files: readonly CheckedFile[], path: string) {
  const file = files.find((other) => other.path === path)
  if (file === undefined) return undefined
  if (file.size > rulesBytesMax) throw refuseEntry(path, `has more than ${rulesBytesMax} bytes`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(unpack(file, await readData(window, file)))
  } catch (error) {
    throw error instanceof TypeError ? refuseEntry(path, 'is not UTF-8') : error
  }
}
