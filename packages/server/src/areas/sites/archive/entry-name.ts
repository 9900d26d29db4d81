import { crc32 } from 'node:zlib'
import { visibleTextProblem } from '@svc/contract/limits'
import { quoted } from '../../../shared/quoted.js'
import type { Entry } from 'yauzl'

/** The limits of Linux for a name and, with room for the folder of the site, for a path, in bytes. */
const segmentBytesMax = 255
const pathBytesMax = 1024

/** How deep folders may be. Conflicts between files and folders are looked up for each level. */
const foldersMax = 32

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The rules in their order, with what follows the name of the entry in the message. */
const rules: readonly (readonly [breaks: (name: string) => boolean, problem: string])[] = [
  [(name) => name === '', 'has no name'],
  [(name) => name.includes('\\'), 'has a backslash in its name: folders are separated by slashes'],
  [(name) => /^(?:\/|[a-z]:)/i.test(name), 'has an absolute path: paths start in the folder of the site'],
  [
    (name) => visibleTextProblem(name) !== undefined,
    'has a control character or an invisible format character in its name',
  ],
  [(name) => segmentsOf(name).includes(''), 'has an empty segment in its path: two slashes follow each other'],
  [(name) => segmentsOf(name).some((segment) => segment === '.' || segment === '..'), 'has . or .. in its path'],
  [(name) => Buffer.byteLength(name) > pathBytesMax, `has a path of more than ${pathBytesMax} bytes`],
  [
    (name) => segmentsOf(name).some((segment) => Buffer.byteLength(segment) > segmentBytesMax),
    `has a name of more than ${segmentBytesMax} bytes in its path`,
  ],
  [(name) => segmentsOf(name).length > foldersMax + 1, `is in more than ${foldersMax} folders`],
]

/** The segments of a path, without the slash at the end of a folder. */
const segmentsOf = (name: string): string[] => name.replace(/\/$/, '').split('/')

/** Checks the name of an entry. @returns the problem, to follow the name in a message; undefined if the name is valid */
export const entryNameProblem = (name: string): string | undefined => rules.find(([breaks]) => breaks(name))?.[1]

/**
 * The name of an entry in Unicode's composed form (NFC), in which browsers ask for it: macOS writes names decomposed.
 * @returns undefined if the name is not UTF-8
 */
export function decodeEntryName(entry: Entry): string | undefined {
  try {
    return utf8.decode(unicodePathOf(entry) ?? entry.fileNameRaw).normalize('NFC')
  } catch {
    return undefined
  }
}

/** The name in Info-ZIP's Unicode Path extra field (APPNOTE 4.6.9), which counts only with the CRC-32 of the usual name. */
function unicodePathOf({ extraFields, fileNameRaw }: Entry): Buffer | undefined {
  const data = extraFields.find(({ id }) => id === 0x7075)?.data
  if (data === undefined || data.length < 6 || data.readUInt8(0) !== 1) return undefined
  return data.readUInt32LE(1) === crc32(fileNameRaw) ? data.subarray(5) : undefined
}

/** The files and folders of an archive, to find those that one file system or another would mix up. */
export class EntryNames {
  readonly #files = new Map<string, string>()
  readonly #folders = new Map<string, string>()

  /** How many folders the files are in, on all levels. */
  get folders(): number {
    return this.#folders.size
  }

  /** @param path of a file. @returns the problem, to follow the name in a message; undefined without a conflict */
  addFile(path: string): string | undefined {
    const key = fold(path)
    const same = this.#files.get(key)
    if (same === path) return 'is in the archive twice'
    if (same !== undefined) return `is the same name as ${quoted(same)} without regard to upper and lower case`
    const folder = this.#folders.get(key)
    if (folder !== undefined) return `is both a file and the folder of ${quoted(folder)}`
    this.#files.set(key, path)
    return this.addFolders(path)
  }

  /** @param path of a file or, with a slash at its end, of a folder, whose folders are added. @returns as `addFile` */
  addFolders(path: string): string | undefined {
    const key = fold(path)
    for (let end = key.lastIndexOf('/'); end !== -1; end = key.lastIndexOf('/', end - 1)) {
      const folder = key.slice(0, end)
      if (this.#folders.has(folder)) return undefined
      const file = this.#files.get(folder)
      if (file !== undefined) return `is in the folder ${quoted(file)}, which is also a file`
      this.#folders.set(folder, path)
    }
    return undefined
  }
}

/** One text for all spellings that a file system without upper and lower case takes for the same name. */
const fold = (path: string): string => path.toUpperCase().toLowerCase().normalize('NFC')
