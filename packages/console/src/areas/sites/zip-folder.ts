import type { FolderFile } from './dropped-files.js'

/** Compressed already: another compression takes time and saves nothing. */
const isPacked = (path: string): boolean =>
  /\.(?:7z|avif|br|gif|gz|jpe?g|mp[34]|ogg|png|wasm\.br|webm|webp|woff2?|zip)$/i.test(path)

/** Chunks of this many bytes become one blob, which the browser may keep on the disk. */
const blobBytes = 8 * 1024 * 1024

interface Options {
  /** @param read bytes of the files so far */
  readonly onRead: (read: number) => void
  readonly signal: AbortSignal
}

/**
 * Zips the files of a folder. Between chunks of a file the page can react, and only one chunk is in memory.
 * @throws the reason of the signal; DOMException if a file cannot be read
 */
export async function zipFolder(files: readonly FolderFile[], { onRead, signal }: Options): Promise<Blob> {
  const { Zip, ZipDeflate, ZipPassThrough } = await import('fflate')
  const blobs: Blob[] = []
  let chunks: Uint8Array<ArrayBuffer>[] = []
  let waiting = 0
  let failure: Error | undefined
  const zip = new Zip((error, chunk) => {
    if (error) failure = error
    else chunks.push(chunk)
    waiting += error ? 0 : chunk.length
    if (waiting < blobBytes) return
    blobs.push(new Blob(chunks))
    chunks = []
    waiting = 0
  })
  let read = 0
  for (const { path, file } of files) {
    const entry = isPacked(path) ? new ZipPassThrough(path) : new ZipDeflate(path, { level: 6 })
    zip.add(entry)
    const reader = file.stream().getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      entry.push(next.value)
      read += next.value.length
      onRead(read)
      signal.throwIfAborted()
    }
    entry.push(new Uint8Array(0), true)
    if (failure) throw failure
  }
  zip.end()
  return new Blob([...blobs, ...chunks], { type: 'application/zip' })
}
