import { fromRandomAccessReaderPromise, type Entry, type ZipFile } from 'yauzl'
import { readableBytes } from '../../../shared/readable-bytes.js'
import type { TimeSlices } from '../../../shared/time-slices.js'
import { refuseArchive, refuseEntry } from './archive-error.js'
import { decodeEntryName, EntryNames, entryNameProblem } from './entry-name.js'
import { checkEntry, isFolder, type ArchiveLimits, type FileEntry } from './entry.js'
import { skippedPart } from './hidden.js'
import { WindowReader, type ArchiveWindow } from './window.js'

/** The records at the end of an archive: the longest comment, and room for those of zip64 (APPNOTE 4.3.14 to 4.3.16). */
const endBytes = 128 * 1024

/** The longest record of an entry: its fixed fields, name, extra fields and comment (APPNOTE 4.3.12). */
const recordBytesMax = 46 + 3 * 0xffff

/**
 * The most bytes of extra fields of an entry. Programs write less than a hundred, and each field costs time, so an archive of nothing
 * else would keep the server busy for minutes.
 */
export const extraBytesMax = 4_096

/** The most bytes of the comment of an entry, which is read with its record. Few programs write any. */
const commentBytesMax = 4_096

/**
 * Per file that a site may have: folders, each counted once, and bytes of names. Each folder and name is kept until the deploy ends, and
 * 600,000 of them took 300 MB, and blocked the event loop when their map grew.
 */
const foldersPerFile = 2
const nameBytesPerFile = 200

/** The names of a site of few files may be long. */
const namesForFilesMin = 1_000

/** Signature of the record of an entry in the central directory. */
const recordSignature = 0x02014b50

/** The most files and folders that the answer to a deploy names as skipped. */
const skippedMax = 100

/** The files of an archive, as its central directory names them. */
export interface Directory {
  /** In the order of their positions in the archive. */
  readonly files: readonly FileEntry[]
  /** The position of the central directory. */
  readonly start: number
  /** Files and folders that no site serves, at most `skippedMax`. */
  readonly skipped: readonly string[]
}

/** @types/yauzl says that the cursor is a boolean. */
const cursorOf = (zip: ZipFile): number => Number(zip.readEntryCursor)

/**
 * Reads and checks the central directory. Folders are left out, and files that no site serves.
 * @throws ApiError `bad_request` for an archive or an entry that is refused; StorageError
 */
export async function readDirectory(
  window: ArchiveWindow,
  limits: ArchiveLimits,
  slices: TimeSlices,
): Promise<Directory> {
  await window.load(Math.max(window.size - endBytes, 0), endBytes)
  const zip = await openZip(window)
  const start = cursorOf(zip)
  // Folders are entries too. Each entry costs time, so their number is checked before they are read.
  if (zip.entryCount > 2 * limits.filesMax)
    throw refuseArchive(`has ${zip.entryCount} entries, but a site may have ${limits.filesMax} files`)
  const files = new CheckedFiles(limits)
  for await (const entry of entriesOf(zip, window)) {
    files.add(entry)
    if (slices.isOver) await slices.next()
  }
  return { files: files.inOrder(), start, skipped: files.skipped }
}

async function openZip(window: ArchiveWindow): Promise<ZipFile> {
  const options = { decodeStrings: false, validateEntrySizes: false, autoClose: false }
  try {
    return await fromRandomAccessReaderPromise(new WindowReader(window), window.size, options)
  } catch (error) {
    throw refuseArchive(`is not a zip: ${reasonOf(error)}`)
  }
}

async function* entriesOf(zip: ZipFile, window: ArchiveWindow): AsyncGenerator<Entry> {
  const entries = zip.eachEntry()
  for (let number = 1; ; number++) {
    await window.load(cursorOf(zip), recordBytesMax)
    const record = window.bytes(cursorOf(zip), 46)
    const isRecord = record.length === 46 && record.readUInt32LE() === recordSignature
    if (isRecord && record.readUInt16LE(30) > extraBytesMax)
      throw refuseArchive(`has an entry, number ${number}, with more than ${extraBytesMax} bytes of extra fields`)
    if (isRecord && record.readUInt16LE(32) > commentBytesMax)
      throw refuseArchive(`has an entry, number ${number}, with a comment of more than ${commentBytesMax} bytes`)
    const next = await entries.next().catch((error: unknown) => {
      throw refuseArchive(`has an entry, number ${number}, that cannot be read: ${reasonOf(error)}`)
    })
    if (next.done === true) break
    yield next.value
  }
  // A reader that trusts the records instead of their count would see other files.
  const rest = window.bytes(cursorOf(zip), 4)
  if (rest.length === 4 && rest.readUInt32LE() === recordSignature)
    throw refuseArchive(`has more entries than the ${zip.entryCount} that it declares`)
}

/** The message of an error of yauzl, without a full stop. */
const reasonOf = (error: unknown): string => (error as Error).message.replace(/\.$/, '')

/** Collects the files of an archive, and checks what concerns several of them. */
class CheckedFiles {
  readonly #names = new EntryNames()
  readonly #files: FileEntry[] = []
  readonly #skipped = new Set<string>()
  #size = 0
  #nameBytes = 0

  constructor(private readonly limits: ArchiveLimits) {}

  /** @throws ApiError `bad_request` for an entry that is refused */
  add(entry: Entry): void {
    const path = decodeEntryName(entry)
    if (path === undefined)
      throw refuseEntry(
        entry.fileNameRaw.toString('latin1'),
        'has a name that is not UTF-8: make the zip with another program',
      )
    const problem = entryNameProblem(path)
    if (problem !== undefined) throw refuseEntry(path, problem)
    const skipped = skippedPart(path)
    if (skipped !== undefined) {
      if (this.#skipped.size < skippedMax) this.#skipped.add(skipped)
      return
    }
    checkEntry(path, entry, this.limits)
    const conflict = isFolder(entry) ? this.#names.addFolders(path) : this.#names.addFile(path)
    if (conflict !== undefined) throw refuseEntry(path, conflict)
    this.#limitNames(path)
    if (!isFolder(entry)) this.#addFile(path, entry)
  }

  get skipped(): readonly string[] {
    return [...this.#skipped]
  }

  inOrder(): readonly FileEntry[] {
    if (this.#files.length === 0) throw refuseArchive(this.#skipped.size > 0 ? 'has only hidden files' : 'has no files')
    return this.#files.sort((a, b) => a.offset - b.offset)
  }

  #limitNames(path: string): void {
    const files = Math.max(this.limits.filesMax, namesForFilesMin)
    this.#nameBytes += Buffer.byteLength(path)
    if (this.#nameBytes > nameBytesPerFile * files)
      throw refuseArchive(`has names of more than ${nameBytesPerFile * files} bytes in all, with their folders`)
    if (this.#names.folders > foldersPerFile * files)
      throw refuseArchive(`has more than ${foldersPerFile * files} folders, counted on all levels`)
  }

  #addFile(path: string, entry: Entry): void {
    const { bytesMax, filesMax } = this.limits
    this.#size += entry.uncompressedSize
    if (this.#size > bytesMax)
      throw refuseArchive(`unpacks to more than ${readableBytes(bytesMax)}, the limit of a site`)
    this.#files.push({
      path,
      // A Buffer would keep the comments and extra fields of several entries in memory.
      nameBytes: entry.fileNameRaw.toString('latin1'),
      method: entry.compressionMethod,
      crc32: entry.crc32,
      compressedSize: entry.compressedSize,
      size: entry.uncompressedSize,
      offset: entry.relativeOffsetOfLocalHeader,
    })
    if (this.#files.length > filesMax) throw refuseArchive(`has more than ${filesMax} files, the limit of a site`)
  }
}
