import { createHash } from 'node:crypto'
import type { StoredFile, UploadCalls } from '../src/areas/files/upload/calls.js'

/** A server of uploads whose connection and answers the tests decide. */

export interface Fault {
  /** The call fails before its effect, or after it: then only the answer is lost. */
  readonly when: 'before' | 'after'
  readonly error: Error
}

export type CallName = keyof UploadCalls

/** A server that assembles parts. @param faultOf of a call; the number of the call counts from 1 for each kind */
export function fakeServer(faultOf: (call: CallName, number: number) => Fault | undefined = () => undefined) {
  const log: string[] = []
  const counts: Record<CallName, number> = { upload: 0, uploadChunk: 0, uploadFinalize: 0, uploadDiscard: 0, list: 0 }
  const parts = new Map<number, Blob>()
  const contents: Blob[] = []
  const files: StoredFile[] = []
  let uploads = 0
  /** A repeat answers with the same file, as the server does. */
  const finished = new Map<number, StoredFile>()

  async function answer<T>(
    call: CallName,
    detail: string,
    signal: AbortSignal | undefined,
    effect: () => T,
  ): Promise<T> {
    log.push(`${call} ${detail}`.trim())
    const fault = faultOf(call, ++counts[call])
    await new Promise((resolve) => setTimeout(resolve, 1))
    signal?.throwIfAborted()
    if (fault?.when === 'before') throw fault.error
    const result = effect()
    if (fault) throw fault.error
    return result
  }
  const store = (name: string, content: Blob): StoredFile => {
    contents.push(content)
    // Every small file has this content.
    const sha256 = createHash('sha256').update('hello').digest('hex')
    const stored = { id: contents.length, name, size: content.size, sha256 } as StoredFile
    files.unshift(stored)
    return stored
  }
  const calls: UploadCalls = {
    upload: ({ name }, { bytes, signal }) => answer('upload', name, signal, () => store(name, bytes)),
    uploadChunk: ({ upload_id: id, index }, { bytes, signal }) =>
      answer('uploadChunk', String(index), signal, () => {
        parts.set(index, bytes)
        const received = [...parts.keys()].toSorted((a, b) => a - b)
        return { upload_id: id ?? ++uploads, index, size: bytes.size, received }
      }),
    uploadFinalize: ({ upload_id: id, name, parts: count }) =>
      answer('uploadFinalize', String(count), undefined, () => {
        const content = () => new Blob(Array.from({ length: count }, (_, index) => parts.get(index) ?? 'missing'))
        const stored = finished.get(id) ?? store(name, content())
        finished.set(id, stored)
        return stored
      }),
    uploadDiscard: ({ upload_id: id }) => answer('uploadDiscard', String(id), undefined, () => parts.clear()),
    list: () => answer('list', '', undefined, () => ({ files })),
  }
  return { calls, log, contents, counts, openedUploads: () => uploads }
}
