import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Answer, Caller, NamedFile } from '@svc/client'
import type { Operation } from '@svc/contract'
import { OperatorError } from '@svc/server'
import { startProgress } from './progress.js'

/**
 * Sends files as a form, under their base names, with progress on stderr. Once: after a break the server may have all of them.
 * @throws the errors of `Caller`; OperatorError with exit code 2 if a file cannot be read
 */
export async function sendForm(
  call: Caller,
  op: Operation,
  input: Readonly<Record<string, unknown>>,
  paths: readonly string[],
): Promise<Answer> {
  const files = await Promise.all(paths.map(openFile))
  const progress = startProgress('sent')
  progress.expect(files.reduce((sum, { content }) => sum + content.size, 0))
  try {
    const answer = await call(op, input, { files, onSent: progress.add })
    progress.finish()
    return answer
  } finally {
    progress.stop()
  }
}

async function openFile(path: string): Promise<NamedFile> {
  try {
    if (!(await stat(path)).isFile()) throw new Error('it is not a regular file')
    return { name: basename(path), content: await openAsBlob(path) }
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${(error as Error).message}`, 2, { cause: error })
  }
}
