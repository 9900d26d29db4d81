import { constants, type Stats } from 'node:fs'
import { access, lstat, mkdir, readlink, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { OperatorError } from './operator-error.js'
import { codeOf, giveToFolderOwner } from './private-file.js'

/** Why the server cannot use a path, and what the operator can do. */
export interface PathProblem {
  /** The faulty path: the one that was checked, or one of its parents. */
  readonly at: string
  /** What is wrong with `at`, as the end of a sentence that begins with it. */
  readonly what: string
  /** What repairs it, as an imperative; undefined if only another path helps. */
  readonly remedy: string | undefined
}

/** What a message calls a path, and which settings choose another one. */
export interface PathRole {
  /** The start of the sentence: `The directory of the files`. */
  readonly name: string
  /** An imperative: `set SVC_BLOBS to another place`. */
  readonly otherwise: string
}

export const databaseFile: PathRole = {
  name: 'The database file',
  otherwise: 'set SVC_DATA or SVC_DATABASE to another place',
}

const { R_OK, W_OK, X_OK } = constants

/** One sentence that names the path, the cause and the remedies. */
export function pathError(path: string, role: PathRole, problem: PathProblem, cause?: unknown): OperatorError {
  const at = problem.at === path ? 'it' : shortened(problem.at)
  const remedies = [problem.remedy, role.otherwise].filter((remedy) => remedy !== undefined).join(', or ')
  return new OperatorError(
    `${role.name} ${shortened(path)} cannot be used, because ${at} ${problem.what}: ${remedies}.`,
    1,
    { cause },
  )
}

/**
 * Looks for a reason why this process cannot use a directory, or cannot create it. Changes nothing.
 * @param path absolute
 */
export async function checkDirectory(path: string): Promise<PathProblem | undefined> {
  const { problem, missing } = await walk(path)
  if (problem !== undefined) return problem
  return missing === undefined ? checkAccess(path, R_OK | W_OK | X_OK) : checkAccess(dirname(missing), W_OK | X_OK)
}

/**
 * Looks for a reason why this process cannot use a file. Changes nothing. A missing file or directory is accepted.
 * @param path absolute
 */
export async function checkFile(path: string, access: 'read' | 'write' = 'write'): Promise<PathProblem | undefined> {
  const { problem, missing } = await walk(dirname(path))
  if (problem !== undefined || missing !== undefined) return problem
  const found = await inspect(path)
  if (found === undefined || 'what' in found) return found
  // A pipe would keep the process waiting for its other end.
  if (!found.isFile()) return { at: path, what: 'is not a regular file', remedy: 'move it to another place' }
  return checkAccess(path, access === 'write' ? R_OK | W_OK : R_OK)
}

/** Follows the path from the root to the first part that is missing or not a directory. */
async function walk(path: string): Promise<{ readonly problem?: PathProblem; readonly missing?: string }> {
  for (const part of partsOf(path)) {
    const found = await inspect(part)
    if (found === undefined) return { missing: part }
    if ('what' in found) return { problem: found }
    if (!found.isDirectory())
      return { problem: { at: part, what: 'is not a directory', remedy: 'move that file to another place' } }
  }
  return {}
}

/**
 * Creates a directory and its missing parents, for this user only. Not with the `recursive` of Node.js: it repeats forever if a file
 * system answers ENOENT for a new directory, as /proc does, and it reports a full disk as ENOENT (nodejs/node#42808).
 * @param path absolute
 * @returns the first directory that was created; undefined if all existed
 * @throws OperatorError if it cannot be created or used
 */
export async function makeDirectory(path: string, role: PathRole): Promise<string | undefined> {
  const problem = await checkDirectory(path)
  if (problem !== undefined) throw pathError(path, role, problem)
  let first: string | undefined
  for (const part of partsOf(path)) {
    if ((await inspect(part)) !== undefined) continue
    try {
      await mkdir(part, { mode: 0o700 })
      giveToFolderOwner(part)
      first ??= part
    } catch (error) {
      // Another process has created it.
      if (codeOf(error) !== 'EEXIST') throw pathError(path, role, problemOf(error, dirname(part)), error)
    }
  }
  return first
}

/** Checks a file as `checkFile` does. @throws OperatorError */
export async function assertUsableFile(path: string, role: PathRole, access?: 'read' | 'write'): Promise<void> {
  const problem = await checkFile(path, access)
  if (problem !== undefined) throw pathError(path, role, problem)
}

/** The problem that an error of the operating system at a path means. */
export function problemOf(error: unknown, at: string): PathProblem {
  switch (codeOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return { at, what: 'is on a full disk', remedy: 'free some space' }
    case 'EROFS':
      return { at, what: 'is on a read-only file system', remedy: 'mount it for writing' }
    case 'ENAMETOOLONG':
      return { at, what: 'is longer than its file system allows', remedy: undefined }
    case 'ELOOP':
      return { at, what: 'is a symbolic link that leads back to itself', remedy: 'replace the link' }
    case 'ENOENT':
    case 'EPERM':
    case 'EACCES':
    case 'EINVAL':
      return { at, what: 'accepts no new files or directories', remedy: undefined }
    default:
      return { at, what: `cannot be accessed (${String(codeOf(error))})`, remedy: 'check its disk' }
  }
}

/** The path and its parents, the root first. */
function partsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [...partsOf(parent), path]
}

/** @returns undefined if nothing has this name */
async function inspect(path: string): Promise<Stats | PathProblem | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    const code = codeOf(error)
    const isUnreachable = code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES'
    if (!isUnreachable) return problemOf(error, path)
    const target = await targetOf(path)
    if (target !== undefined) {
      const what = code === 'EACCES' ? `this process (${user()}) may not reach` : 'does not exist'
      return { at: path, what: `is a symbolic link to ${shortened(target)}, which ${what}`, remedy: 'correct the link' }
    }
    return code === 'ENOENT' ? undefined : checkAccess(dirname(path), X_OK)
  }
}

/** @returns undefined for what is not a symbolic link */
async function targetOf(path: string): Promise<string | undefined> {
  try {
    if (!(await lstat(path)).isSymbolicLink()) return undefined
    return resolve(dirname(path), await readlink(path))
  } catch {
    // The error of the path itself says more.
    return undefined
  }
}

const rights = [
  [R_OK, 'read'],
  [W_OK, 'write to'],
  [X_OK, 'enter'],
] as const

/** @param mode the needed rights */
async function checkAccess(path: string, mode: number): Promise<PathProblem | undefined> {
  for (const [right, verb] of rights) {
    if ((mode & right) === 0) continue
    try {
      await access(path, right)
    } catch (error) {
      const code = codeOf(error)
      return code === 'EACCES' || code === 'EPERM' ? denied(path, verb) : problemOf(error, path)
    }
  }
  return undefined
}

async function denied(path: string, verb: string): Promise<PathProblem> {
  const { uid, mode } = await stat(path)
  const shownMode = (mode & 0o777).toString(8).padStart(4, '0')
  const what = `belongs to uid ${String(uid)} and has the mode ${shownMode}, so that this process (${user()}) may not ${verb} it`
  return { at: path, what, remedy: 'run chown or chmod on it' }
}

const user = () => `uid ${String(process.geteuid?.() ?? 'unknown')}`

const shownChars = 300

const shortened = (path: string): string =>
  path.length <= shownChars ? path : `${path.slice(0, shownChars)}… (${String(path.length)} characters)`
