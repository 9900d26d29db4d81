/**
 * The same bytes as a stream that reports each chunk when the connection takes it. The source is never cancelled: Node.js 26 goes on to
 * add the bytes of a form to its stream, and the error, which nobody can catch, ends the process. Instead the rest is read: forms are
 * short, because long files are sent in parts.
 * @param onSent gets the length of a chunk
 */
export function countedStream(
  source: ReadableStream<Uint8Array>,
  onSent: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  let isCancelled = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (isCancelled) return
        if (done) controller.close()
        else {
          controller.enqueue(value)
          onSent(value.length)
        }
      },
      async cancel() {
        isCancelled = true
        while (!(await reader.read()).done);
      },
    },
    { highWaterMark: 0 },
  )
}
