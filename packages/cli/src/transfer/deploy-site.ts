import { rmSync } from 'node:fs'
import { mkdtemp, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { areas, siteNamePattern } from '@svc/contract'
import type { Answer, Caller } from '@svc/client'
import { OperatorError } from '@svc/server'
import { beforeSignal } from './before-signal.js'
import { openSource, type LocalFile } from './local-file.js'
import { startProgress, type Progress } from './progress.js'
import { filesOf, zipFolder } from './zip-folder.js'

const { deploy } = areas.sites

export interface SiteDeploy {
  /** A folder or a zip. */
  readonly path: string
  readonly details: Readonly<Record<string, unknown>>
  readonly call: Caller
  /** Deadline of a call in milliseconds. */
  readonly timeoutMs: number
}

/**
 * How long the server may take after the last byte, in milliseconds: a minute until other deploys have ended, ten minutes for the
 * deploy, and a minute for its answer to arrive first.
 */
const deployMs = 12 * 60_000

/** How many skipped files are named. */
const namedMax = 10

/** The connection accepts this many bytes at a time; progress is measured by them. */
const sliceBytes = 64 * 1024

/**
 * Deploys a folder, which is zipped into a temporary file, or a zip, with progress on stderr.
 * @throws the errors of `Caller`; OperatorError if it cannot be read, or has no name that a site can have
 */
export async function deploySite({ path, details, call, timeoutMs }: SiteDeploy): Promise<Answer> {
  const name = details['name'] ?? defaultName(path)
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    // Opening it reports the error.
    () => false,
  )
  const send = (zip: string, progress: Progress) =>
    sendZip(zip, progress, (bytes, size) =>
      call(
        deploy,
        { ...details, name },
        { bytes, headers: { 'content-length': String(size) }, timeoutMs: timeoutMs + deployMs },
      ),
    )
  const progress = startProgress('sent')
  try {
    const answer = isFolder
      ? await withTemporaryZip(path, progress, (zip) => send(zip, progress))
      : await send(path, progress)
    progress.finish()
    return answer
  } finally {
    progress.stop()
  }
}

/** The name of the folder or of the zip. @throws OperatorError with exit code 2 if no site can have it */
function defaultName(path: string): string {
  const name = basename(resolve(path)).replace(/\.zip$/i, '')
  if (new RegExp(siteNamePattern).test(name)) return name
  throw new OperatorError(
    `missing --name: a site cannot have the name ${JSON.stringify(name)}. Names have a to z, 0 to 9 and inner hyphens.`,
    2,
  )
}

/** Removes the temporary zip in any case, also when a signal ends the process. */
async function withTemporaryZip<R>(folder: string, progress: Progress, use: (zip: string) => Promise<R>): Promise<R> {
  const { paths, skipped } = await filesOf(folder)
  if (paths.length === 0) throw new OperatorError(`${folder} has no files.`, 2)
  if (skipped.length > 0) progress.note(skippedText(skipped))
  const temporary = await mkdtemp(join(tmpdir(), 'svc-site-'))
  const remove = () => {
    progress.stop()
    rmSync(temporary, { recursive: true, force: true })
  }
  const ignoreSignals = beforeSignal(remove)
  try {
    const zip = join(temporary, 'site.zip')
    await zipFolder(folder, paths, zip)
    return await use(zip)
  } finally {
    ignoreSignals()
    rmSync(temporary, { recursive: true, force: true })
  }
}

function skippedText(skipped: readonly string[]): string {
  const named = skipped.slice(0, namedMax).map((path) => JSON.stringify(path))
  const more = skipped.length - named.length
  return `skipped ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}: hidden files, links out of the folder, links to folders and special files are not deployed`
}

async function sendZip(
  path: string,
  progress: Progress,
  send: (bytes: ReadableStream<Uint8Array>, size: number) => Promise<Answer>,
): Promise<Answer> {
  const file = await openSource(path)
  try {
    if (file.kind === 'pipe') throw new OperatorError(`${path} is not a file or a folder.`, 2)
    progress.expect(file.size)
    return await send(streamOf(file, progress), file.size)
  } finally {
    await file.close()
  }
}

/** A stream that is read only as fast as the connection accepts it. */
function streamOf(file: LocalFile, progress: Progress): ReadableStream<Uint8Array> {
  let position = 0
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const length = Math.min(sliceBytes, file.size - position)
        if (length > 0) controller.enqueue(await file.read(position, length))
        position += length
        progress.add(length)
        if (position === file.size) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
