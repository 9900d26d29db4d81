/** Characters. A longer line is not part of the log: Varnish cuts each field at 255 bytes (`vsl_reclen`). */
const lineMax = 16_384

/** Takes the place of a line that is too long: no line of the log has this character. */
const tooLong = '\0'

/** Splits a log into lines as it arrives; yields the lines that each chunk completes. Memory does not grow with a line. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > lineMax) rest = tooLong
    yield lines
  }
  if (rest !== '') yield [rest]
}
