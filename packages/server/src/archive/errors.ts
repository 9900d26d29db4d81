import { OperatorError } from '../shared/operator-error.js'
import { codeOf } from '../shared/private-file.js'

export const damaged = (file: string, what: string): OperatorError =>
  new OperatorError(`${file} is damaged: ${what}; copy it again, or use another archive.`)

export const cutOff = (file: string, options?: ErrorOptions): OperatorError =>
  new OperatorError(`${file} is cut off: its end is missing; copy it again, or use another archive.`, 1, options)

export const notAnArchive = (file: string, options?: ErrorOptions): OperatorError =>
  new OperatorError(`${file} is not an archive of svc: svc backup and svc account export make them.`, 1, options)

/** @param version the version of svc that has made the archive; undefined if unknown */
export const madeByNewer = (file: string, version: unknown): OperatorError =>
  new OperatorError(
    `${file} was made by a newer svc${typeof version === 'string' ? ` (${version})` : ''}: use that version or a later one.`,
  )

/** SQLite's errors of constraints, and SQLSTATEs of class 22 (values) and 23 (constraints). */
const rowFailures = /^(SQLITE_CONSTRAINT\w*|2[23]\w{3})$/
/** SQLSTATE character_not_in_repertoire. */
const invalidText = '22021'

/** An error of rows that the database rejects, as a sentence; any other error is returned unchanged. */
export function explainRowFailure(error: unknown): unknown {
  const code = String(codeOf(error))
  if (!(error instanceof Error) || !rowFailures.test(code)) return error
  const problem =
    code === invalidText
      ? 'A text in the archive has the character NUL, which PostgreSQL cannot store: change it where the archive was made.'
      : `The archive is damaged: the database rejects its rows (${error.message}).`
  return new OperatorError(problem, 1, { cause: error })
}

const readFailures: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a directory, not an archive',
  EACCES: 'cannot be read: permission denied',
}

/**
 * An error of the file or of the tar format as a sentence; any other error is returned unchanged.
 * @param isStarted whether the header has been read
 */
export function explainReadFailure(file: string, error: unknown, isStarted: boolean): unknown {
  if (error instanceof OperatorError || !(error instanceof Error)) return error
  const code = codeOf(error)
  const failure = typeof code === 'string' ? (readFailures[code] ?? `cannot be read (${code})`) : undefined
  if (failure !== undefined) return new OperatorError(`${file} ${failure}.`, 1, { cause: error })
  // The messages of tar-stream.
  if (error.message.startsWith('Unexpected end of data'))
    return isStarted ? cutOff(file, { cause: error }) : notAnArchive(file)
  if (/^(Invalid|Header|Size)/.test(error.message))
    return isStarted ? damaged(file, 'it has bytes that are not tar') : notAnArchive(file, { cause: error })
  return error
}
