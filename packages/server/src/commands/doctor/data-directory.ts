import { constants, type Stats } from 'node:fs'
import { access, lstat, opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Findings } from '../../ports/blobs/inspect.js'
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
  const found = await stat(path).catch((error: unknown) => String(codeOf(error)))
  if (found === 'ENOENT')
    report.error(
      `The directory ${path} does not exist.`,
      'Correct SVC_DATA, SVC_DATABASE or SVC_BLOBS, or start svc, which creates it.',
    )
  else if (typeof found === 'string')
    report.error(
      `The directory ${path} cannot be read (${found}).`,
      'Check the directories above it, and run svc doctor as the user of the server.',
    )
  else if (!found.isDirectory())
    report.error(`${path} is not a directory.`, 'Correct SVC_DATA, SVC_DATABASE or SVC_BLOBS.')
  else {
    const before = report.findings.length
    await checkAccess(path, found, report)
    await checkEntries(path, found.uid, report, signal)
    if (report.findings.length === before)
      report.ok(`${path} belongs to the user ${String(found.uid)}, with all that is in it.`)
  }
}

async function checkAccess(path: string, { uid, mode }: Stats, report: Report): Promise<void> {
  const unwritable = await access(path, constants.W_OK).then(() => undefined, codeOf)
  if (unwritable === 'EROFS')
    report.error(
      `${path} is on a file system that is mounted read-only.`,
      'Look for disk errors in the log of the kernel, then mount it for writing.',
    )
  else if (unwritable !== undefined)
    report.error(
      `The user of this command, ${String(process.geteuid?.())}, cannot write to ${path}, which belongs to ${String(uid)}.`,
      'Run svc doctor as the user of the server. If this is that user, give the directory to it with chown -R.',
    )
  if ((mode & writableByOthers) !== 0)
    report.error(
      `${path} has the mode ${(mode & 0o7777).toString(8).padStart(4, '0')}, so other users can replace its files.`,
      `Run chmod go-w ${path}.`,
    )
}

/** Entries that belong to another user, among the first that are found. */
async function checkEntries(path: string, uid: number, report: Report, signal: AbortSignal): Promise<void> {
  const foreign = new Findings<string>()
  let seen = 0
  const queue = [path]
  for (let folder = queue.pop(); folder !== undefined && !signal.aborted; folder = queue.pop())
    for (const entry of await entriesOf(folder, entriesMax - seen)) {
      seen += 1
      // Undefined for a file that the server has removed meanwhile.
      const stats = await lstat(entry).catch(() => undefined)
      if (stats?.isDirectory() === true) queue.push(entry)
      if (stats !== undefined && stats.uid !== uid) foreign.add(`${entry} belongs to ${String(stats.uid)}`)
    }
  if (foreign.count === 0) return
  const [entries, them] = foreign.count === 1 ? ['entry has', 'it'] : ['entries have', 'them']
  report.error(
    `${String(foreign.count)} ${entries} another owner than ${path} itself, so the server may not be able to write ${them}, for example after a restore as root.`,
    `Run chown -R ${String(uid)} ${path} as root.`,
    foreign.first.slice(0, listedMax),
  )
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
