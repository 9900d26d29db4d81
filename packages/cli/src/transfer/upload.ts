import type { Answer, Caller } from '@svc/client'
import { OperatorError } from '@svc/server'
import { flagOf } from '../api-flags.js'
import { beforeSignal } from './before-signal.js'
import { findRefusedDetail, type Details } from './large-file.js'
import { openSource, type LocalFile } from './local-file.js'
import { largestFileBytes, partBytesOf } from './parts.js'
import { Patience } from './patience.js'
import { startProgress, type Progress } from './progress.js'
import { RecordKeeper } from './record-keeper.js'
import { uploadFile } from './upload-file.js'
import { uploadPipe } from './upload-pipe.js'

export interface Upload {
  /** The file; `-` for stdin. */
  readonly path: string
  /** The field with the name of the file; by default the base name of the path. */
  readonly nameField: string
  readonly details: Details
  readonly call: Caller
  /** The server's. */
  readonly baseUrl: string
  /** Deadline of a call in milliseconds. */
  readonly timeoutMs: number
}

/** The server may read all bytes again when it assembles the parts. */
const assembledBytesPerMs = 20_000

/**
 * Uploads a file or stdin in parts, with progress on stderr.
 * @throws the errors of `Caller`; OperatorError if the file cannot be read, changes, or has no name or one that is refused
 */
export async function upload(given: Upload): Promise<Answer> {
  const { path, nameField, details } = given
  const source = await openSource(path)
  try {
    if (source.kind === 'file') {
      const named = { [nameField]: source.name, ...details }
      refuseEarly(named, given)
      return await withProgress((progress) => resumable(source, { ...given, details: named }, progress))
    }
    if (details[nameField] === undefined) throw new OperatorError(`missing --${nameField}: the input has no name.`, 2)
    refuseEarly(details, given)
    return await withProgress((progress) =>
      uploadPipe(source, details, transferOf(given, progress), (bytes) => timeoutMsFor(given, bytes)),
    )
  } finally {
    await source.close()
  }
}

/** Refuses a detail before the first byte is sent. @throws OperatorError with exit code 2 */
function refuseEarly(details: Details, { path, nameField, details: flags }: Upload): void {
  const refused = findRefusedDetail(details)
  if (refused === undefined) return
  const { field, problem } = refused
  const isDefault = field === nameField && flags[field] === undefined
  throw new OperatorError(
    isDefault
      ? `The name of ${path} ${problem}. Give another one with ${flagOf(field)}.`
      : `${flagOf(field)} ${problem}.`,
    2,
  )
}

const timeoutMsFor = ({ timeoutMs }: Upload, bytes: number): number => timeoutMs + bytes / assembledBytesPerMs

const transferOf = ({ call }: Upload, progress: Progress) => ({ call, progress, patience: new Patience(progress.note) })

/** An upload that the next run of the command continues if this one ends early. */
async function resumable(file: LocalFile, given: Upload, progress: Progress): Promise<Answer> {
  const partBytes = partBytesOf(file.size)
  if (partBytes === undefined)
    throw new OperatorError(
      `${given.path} has more than ${largestFileBytes / 2 ** 30} GiB, the most that can be sent.`,
      2,
    )
  const record = new RecordKeeper(given.baseUrl, file, progress.note)
  const announce = () => {
    progress.stop()
    if (record.isKept) progress.note('the sent parts are kept for a day: run the same command again to continue')
  }
  const ignoreSignals = beforeSignal(announce)
  try {
    const timeoutMs = timeoutMsFor(given, file.size)
    return await uploadFile({ file, details: given.details, partBytes, record, timeoutMs }, transferOf(given, progress))
  } catch (error) {
    announce()
    throw error
  } finally {
    ignoreSignals()
  }
}

async function withProgress(run: (progress: Progress) => Promise<Answer>): Promise<Answer> {
  const progress = startProgress('sent')
  try {
    const answer = await run(progress)
    progress.finish()
    return answer
  } finally {
    progress.stop()
  }
}
