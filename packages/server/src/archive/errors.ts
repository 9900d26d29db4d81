import { OperatorError } from '../operator-error.js'
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
  if (/^(Invalid tar header|Header is|Size is|Invalid)/i.test(error.message))
    return isStarted ? damaged(file, 'it has bytes that are not tar') : notAnArchive(file, { cause: error })
  return error
}
