/** An event of a stream (WHATWG HTML, section 9.2). */
export interface ServerEvent {
  /** `message` if the server names none. */
  readonly type: string
  readonly data: string
}

/** What a stream has told so far; a call of `readEvents` continues it. */
export interface EventPosition {
  /** For the header Last-Event-ID after a break; empty before the first id. */
  lastId: string
}

/**
 * Reads server-sent events, such as those of `client.events.stream()`: `readEvents(response.body)`. EventSource of browsers cannot send a
 * token; this works with every fetch.
 * @param position gets the id of each event before it is returned, and that of the beginning of the stream
 */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  position: EventPosition = { lastId: '' },
): AsyncGenerator<ServerEvent, void> {
  let type = ''
  let data: string[] = []
  for await (const line of linesOf(chunks)) {
    if (line === '') {
      if (data.length > 0) yield { type: type === '' ? 'message' : type, data: data.join('\n') }
      type = ''
      data = []
      continue
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'event') type = value
    else if (field === 'id' && !value.includes('\0')) position.lastId = value
  }
}

/** Lines end with LF, CR LF or CR. The last line counts only with its end. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true })
    // A CR at the end may be the first half of CR LF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    yield* lines
  }
}
