import { constants } from 'node:fs'
import { access, lstat, opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../shared/private-file.js'
import type { Check, Context } from './check.js'
import type { Report } from './finding.js'

/** Entries of a directory whose owner is checked. */
const entriesMax = 20_000
const listedMax = 10

/** Group and others may write. */
const writableByOthers = 0o022

/** The data directory, and the directories of the database and the files that are elsewhere. */
export const dataCheck: Check = {
  section: 'data',
  deadlineMs: 8_000,
  async run({ config }, report, signal) {
    for (const path of new Set([config.data, ...furtherDirectories(config)])) await checkDirectory(path, report, signal)
  },
}

function furtherDirectories({ data, database, blobs }: Context['config']): string[] {
  const paths = [
    ...(database.kind === 'sqlite' ? [join(database.file, '..')] : []),
    ...(blobs.kind === 'disk' ? [blobs.folder] : []),
  ]
  return paths.filter((path) => path !== data && !path.startsWith(`${data}/`))
}

async function checkDirectory(path: string, report: Report, signal: AbortSignal): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    const [code, isMissing] = [codeOf(error), codeOf(error) === 'ENOENT']
    report(
      'error',
      isMissing ? `The directory ${path} does not exist.` : `The directory ${path} cannot be read (${String(code)}).`,
      isMissing
        ? 'Correct SVC_DATA, SVC_DATABASE or SVC_BLOBS, or start svc, which creates it.'
        : 'Check the directories above it, and run svc doctor as the user of the server.',
    )
    return undefined
  })
  if (found === undefined) return
  if (!found.isDirectory()) {
    report('error', `${path} is not a directory.`, 'Correct SVC_DATA, SVC_DATABASE or SVC_BLOBS.')
    return
  }
  const problems = await problemsOf(path, found, report, signal)
  if (problems === 0) report('ok', `${path} belongs to the user ${String(found.uid)}, with all that is in it.`)
}

/** @returns how many problems it has reported */
async function problemsOf(
  path: string,
  { uid, mode }: { readonly uid: number; readonly mode: number },
  report: Report,
  signal: AbortSignal,
): Promise<number> {
  let problems = 0
  const found = (message: string, remedy: string, details?: string[]) => {
    problems += 1
    report('error', message, remedy, details)
  }
  const unwritable = await access(path, constants.W_OK).then(() => undefined, codeOf)
  if (unwritable === 'EROFS')
    found(
      `${path} is on a file system that is mounted read-only.`,
      'Look for disk errors in the log of the kernel, then mount it for writing.',
    )
  else if (unwritable !== undefined)
    found(
      `The user of this command, ${String(process.geteuid?.())}, cannot write to ${path}, which belongs to ${String(uid)}.`,
      'Run svc doctor as the user of the server. If this is that user, give the directory to it with chown -R.',
    )
  if ((mode & writableByOthers) !== 0)
    found(
      `${path} has the mode ${(mode & 0o7777).toString(8).padStart(4, '0')}, so other users can replace its files.`,
      `Run chmod go-w ${path}.`,
    )
  const foreign = await foreignEntries(path, uid, signal)
  if (foreign.count > 0)
    found(
      `${counted(foreign.count, 'entry has', 'entries have')} another owner than ${path} itself, so the server may not be able to write ${foreign.count === 1 ? 'it' : 'them'}, for example after a restore as root.`,
      `Run chown -R ${String(uid)} ${path} as root.`,
      foreign.first,
    )
  return problems
}

const counted = (count: number, one: string, many: string) => `${String(count)} ${count === 1 ? one : many}`

/** Entries that belong to another user, among the first that are found. */
async function foreignEntries(
  path: string,
  uid: number,
  signal: AbortSignal,
): Promise<{ count: number; first: string[] }> {
  const foreign = { count: 0, first: [] as string[] }
  let seen = 0
  const queue = [path]
  for (let folder = queue.pop(); folder !== undefined && !signal.aborted; folder = queue.pop()) {
    for (const entry of await entriesOf(folder, entriesMax - seen)) {
      seen += 1
      // Undefined for a file that the server has removed meanwhile.
      const stats = await lstat(entry).catch(() => undefined)
      if (stats === undefined) continue
      if (stats.isDirectory()) queue.push(entry)
      if (stats.uid === uid) continue
      foreign.count += 1
      if (foreign.first.length < listedMax) foreign.first.push(`${entry} belongs to ${String(stats.uid)}`)
    }
  }
  return foreign
}

/** Empty for a folder that cannot be read: its owner is checked as an entry of its parent. */
async function entriesOf(folder: string, max: number): Promise<string[]> {
  const entries: string[] = []
  if (max <= 0) return entries
  try {
    for await (const { name } of await opendir(folder)) {
      entries.push(join(folder, name))
      if (entries.length >= max) break
    }
  } catch (error) {
    if (codeOf(error) === undefined) throw error
  }
  return entries
}
