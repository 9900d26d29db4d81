import { openSocket, parseAnswer, type HttpAnswer } from './raw-http.js'

/** A POST request whose body the test sends piece by piece. */
export interface SlowRequest {
  readonly write: (bytes: string | Uint8Array) => void
  /** Resets the connection. */
  readonly leave: () => void
  /** May arrive before the end of the body. */
  readonly answer: Promise<HttpAnswer>
  readonly isAnswered: () => boolean
}

export interface SlowHead {
  readonly token: string
  readonly path: string
  readonly type: string
  /** Content-Length. */
  readonly length: number
}

export async function startRequest(url: string, { token, path, type, length }: SlowHead): Promise<SlowRequest> {
  const socket = await openSocket(url)
  socket.on('error', () => socket.destroy())
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`,
  )
  let text = ''
  const state = { isAnswered: false }
  const answer = new Promise<HttpAnswer>((resolve) => {
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString()
      // The last key of the envelope.
      if (state.isAnswered || !/"request_id":"\w+"\}$/.test(text)) return
      state.isAnswered = true
      resolve(parseAnswer(text))
    })
  })
  return {
    write: (bytes) => socket.write(bytes),
    leave: () => socket.resetAndDestroy(),
    answer,
    isAnswered: () => state.isAnswered,
  }
}
