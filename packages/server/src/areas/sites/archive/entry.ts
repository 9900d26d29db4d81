import type { Entry } from 'yauzl'
import { readableBytes } from '../../../shared/readable-bytes.js'
import { refuseEntry } from './archive-error.js'

/** Compression methods (APPNOTE 4.4.5). */
const stored = 0
export const deflated = 8
const aes = 99

/** How large a site may be. */
export interface ArchiveLimits {
  /** Of all files, unpacked. */
  readonly bytesMax: number
  readonly filesMax: number
}

/** A file in the central directory of an archive. */
export interface FileEntry {
  /** In Unicode's composed form, without a slash at its start. */
  readonly path: string
  /** The bytes of its name in the archive, each as one character (latin1). */
  readonly nameBytes: string
  readonly method: number
  readonly crc32: number
  /** In bytes. */
  readonly compressedSize: number
  /** Unpacked, in bytes. */
  readonly size: number
  /** The position of its local header. */
  readonly offset: number
}

/** File types in a Unix mode (stat.h). */
const typeMask = 0o170000
const regular = 0o100000
const folder = 0o040000
const link = 0o120000

/**
 * The most bytes that one compressed byte may unpack to, in files beyond the floor. Deflate reaches 1032 for zeros, and about 100
 * for the most repetitive text.
 */
const ratioMax = 200
const ratioFloorBytes = 1_000_000

/** What is wrong with an entry, in the order of the checks, with what follows its name in the message. */
const rules: readonly (readonly [breaks: (entry: Entry) => boolean, problem: string])[] = [
  [
    (entry) => entry.isEncrypted() || entry.compressionMethod === aes,
    'is encrypted: make the archive without a password',
  ],
  [(entry) => typeOf(entry) === link, 'is a symbolic link: put the file itself into the archive'],
  [
    (entry) => ![0, regular, folder].includes(typeOf(entry)),
    'is a device, a pipe or another special file: only files and folders are accepted',
  ],
  [
    (entry) => typeOf(entry) === folder && !isFolder(entry),
    'is marked as a folder, but its name does not end with a slash',
  ],
  [(entry) => typeOf(entry) === regular && isFolder(entry), 'is marked as a file, but its name ends with a slash'],
  [(entry) => isFolder(entry) && entry.uncompressedSize > 0, 'is a folder with contents'],
  [
    (entry) => entry.compressionMethod !== stored && entry.compressionMethod !== deflated,
    'is compressed with a method other than deflate: make a plain zip',
  ],
  [
    (entry) => entry.compressionMethod === stored && entry.compressedSize !== entry.uncompressedSize,
    'is not compressed, but has two different sizes',
  ],
  [
    (entry) => entry.uncompressedSize > ratioFloorBytes && entry.uncompressedSize > ratioMax * entry.compressedSize,
    `unpacks to more than ${ratioMax} times its size`,
  ],
]

const slash = '/'.charCodeAt(0)

export const isFolder = ({ fileNameRaw }: Entry): boolean => fileNameRaw.at(-1) === slash

/** The file type of a Unix mode; 0 without one. Read for every system that the entry claims to be from: unzip programs differ in that. */
const typeOf = ({ externalFileAttributes }: Entry): number => (externalFileAttributes >>> 16) & typeMask

/** @throws ApiError `bad_request` for an entry that is refused, with the reason */
export function checkEntry(name: string, entry: Entry, limits: ArchiveLimits): void {
  const problem = rules.find(([breaks]) => breaks(entry))?.[1]
  if (problem !== undefined) throw refuseEntry(name, problem)
  if (entry.uncompressedSize > limits.bytesMax)
    throw refuseEntry(
      name,
      `has ${readableBytes(entry.uncompressedSize)}, but a site may have ${readableBytes(limits.bytesMax)}`,
    )
}
