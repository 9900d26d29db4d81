import { open } from 'node:fs/promises'

/**
 * Reads a file, or stdin if the name is `-`; undefined if it has more than `maxBytes`.
 * @throws the error of the file system
 */
export async function readInput(file: string, maxBytes: number): Promise<Buffer<ArrayBuffer> | undefined> {
  if (file === '-') return collect(process.stdin, maxBytes)
  const handle = await open(file)
  try {
    if ((await handle.stat()).size > maxBytes) return undefined
    // Count the bytes as well: pipes and devices report no size.
    return await collect(handle.createReadStream({ autoClose: false }), maxBytes)
  } finally {
    await handle.close()
  }
}

async function collect(stream: AsyncIterable<unknown>, maxBytes: number): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
