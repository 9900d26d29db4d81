import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../../shared/private-file.js'
import { checkDirectory, checkFile, type PathProblem } from '../../../shared/usable-path.js'

/** More files are ignored, and reported. */
const filesMax = 100_000
/** How many files are looked at at a time. */
const atOnce = 64
const fileBytesMax = 1024 * 1024

/** A file below a place that the operator has named. */
export interface FoundFile {
  readonly path: string
  /** Changes when the file is written, renamed over, or when a symbolic link on the way to it leads elsewhere. */
  readonly signature: string
  /** Whether the place is a directory. */
  readonly isOfDirectory: boolean
}

export interface FileProblem {
  readonly path: string
  /** A sentence about the file. */
  readonly message: string
}

export interface Listing {
  readonly files: readonly FoundFile[]
  readonly problems: readonly FileProblem[]
}

/**
 * Lists a file, or the files of a directory and of the directories in it, such as /etc/letsencrypt/live of certbot. Hidden names are
 * ignored: Kubernetes keeps the versions of a mounted secret in them.
 */
export async function listFiles(place: string): Promise<Listing> {
  const isOfDirectory = await isDirectory(place)
  if (typeof isOfDirectory === 'object') return { files: [], problems: [isOfDirectory] }
  const { paths, unreadable } = isOfDirectory ? await pathsBelow(place) : { paths: [place], unreadable: [] }
  const files: FoundFile[] = []
  const problems: FileProblem[] = []
  for (const path of unreadable) problems.push({ path, message: await reasonOf(path, checkDirectoryToRead) })
  for (let at = 0; at < Math.min(paths.length, filesMax); at += atOnce) {
    const some = paths.slice(at, Math.min(at + atOnce, filesMax))
    for (const listed of await Promise.all(some.map((path) => look(path, isOfDirectory)))) {
      if (listed === undefined) continue
      if ('message' in listed) problems.push(listed)
      else files.push(listed)
    }
  }
  if (paths.length > filesMax)
    problems.push({ path: place, message: `It has more than ${String(filesMax)} files: the others are ignored.` })
  return { files, problems }
}

async function isDirectory(place: string): Promise<boolean | FileProblem> {
  try {
    return (await stat(place)).isDirectory()
  } catch (error) {
    // Reported like a file that is missing.
    if (codeOf(error) === 'ENOENT') return false
    return { path: place, message: await reasonOf(place) }
  }
}

/** @returns undefined for a file of a directory that has gone in the meantime, or is no file */
async function look(path: string, isOfDirectory: boolean): Promise<FoundFile | FileProblem | undefined> {
  try {
    const found = await stat(path)
    const { dev, ino, mtimeMs, size } = found
    if (!found.isFile()) return isOfDirectory ? undefined : { path, message: 'It is not a regular file.' }
    if (size > fileBytesMax) return { path, message: `It is larger than ${String(fileBytesMax)} bytes.` }
    return { path, signature: [dev, ino, mtimeMs, size].join(), isOfDirectory }
  } catch {
    const message = await reasonOf(path)
    return isOfDirectory && message === missing ? undefined : { path, message }
  }
}

interface Below {
  readonly paths: string[]
  /** Directories that cannot be read. */
  readonly unreadable: string[]
}

async function pathsBelow(directory: string): Promise<Below> {
  const entries = await entriesOf(directory)
  if (entries === undefined) return { paths: [], unreadable: [directory] }
  const below: Below = { paths: [], unreadable: [] }
  for (const entry of entries) {
    const path = join(directory, entry.name)
    if (!entry.isDirectory()) {
      below.paths.push(path)
      continue
    }
    const inner = await entriesOf(path)
    if (inner === undefined) below.unreadable.push(path)
    else below.paths.push(...inner.filter((one) => !one.isDirectory()).map(({ name }) => join(path, name)))
  }
  return below
}

async function entriesOf(directory: string): Promise<Dirent[] | undefined> {
  try {
    return (await readdir(directory, { withFileTypes: true })).filter(({ name }) => !name.startsWith('.'))
  } catch {
    // The caller reports why.
    return undefined
  }
}

const missing = 'It does not exist.'

/** Why a path cannot be read, from the checks of paths, which name the owner and the mode. */
export async function reasonOf(
  path: string,
  check: (path: string) => Promise<PathProblem | undefined> = checkFileToRead,
): Promise<string> {
  const problem = await check(path)
  if (problem === undefined) return missing
  const at = problem.at === path ? 'It' : problem.at
  return `${at} ${problem.what}${problem.remedy === undefined ? '' : `: ${problem.remedy}`}.`
}

const checkFileToRead = (path: string): Promise<PathProblem | undefined> => checkFile(path, 'read')

/** A directory that may be read but not written is fine: then the reason is another one. */
async function checkDirectoryToRead(path: string): Promise<PathProblem | undefined> {
  const problem = await checkDirectory(path)
  return problem?.what.endsWith('may not write to it') === true ? undefined : problem
}
