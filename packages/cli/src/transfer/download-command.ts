import type { Operation } from '@svc/contract'
import type { AnyInput, Caller } from '@svc/client'
import { note } from '../output.js'
import { isOtherVersion, openDownload } from './download.js'
import { fileNameOf } from './file-name.js'
import { Patience } from './patience.js'
import { startProgress } from './progress.js'
import { expectFree, saveFile, targetOf } from './save-file.js'

/** The bytes of a stream for stdout, without progress: its reader may use the same terminal. @throws the errors of `Caller` */
export async function download(call: Caller, op: Operation, input: AnyInput): Promise<AsyncIterable<Uint8Array>> {
  const patience = new Patience((text) => note(`svc: ${text}`))
  return (await openDownload(call, op, input, patience)).bytesFrom(0)
}

export interface Output {
  /** A file, or a folder for a file with the name of the download. */
  readonly output: string
  /** Whether an existing file is replaced. */
  readonly isForced: boolean
}

/**
 * Writes a stream to a file, with progress on stderr. The file appears when it is complete; another run continues one that was interrupted.
 * @throws the errors of `Caller`; OperatorError if the file exists or cannot be written
 */
export async function downloadTo(
  { output, isForced }: Output,
  call: Caller,
  op: Operation,
  input: AnyInput,
): Promise<void> {
  // Checked before the request as well, so that a refused download costs nothing.
  await expectFree(output, isForced)
  const progress = startProgress('received')
  try {
    const opened = await openDownload(call, op, input, new Patience(progress.note))
    if (opened.size !== undefined) progress.expect(opened.size)
    const target = await targetOf(output, () => fileNameOf(opened.contentDisposition), isForced)
    const source = {
      etag: opened.etag,
      bytesFrom: (position: number) => counted(opened.bytesFrom(position), progress.add),
      isOutdated: isOtherVersion,
    }
    await saveFile(target, source, progress)
    progress.finish()
  } finally {
    progress.stop()
  }
}

async function* counted(bytes: AsyncIterable<Uint8Array>, add: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    add(chunk.length)
    yield chunk
  }
}
