/** How much of a request's body the connection has taken, in bytes of the encoded body. */
export interface Sent {
  readonly bytes: number
  readonly total: number
}

/**
 * `fetch` over XMLHttpRequest, for uploads: the `fetch` of browsers does not report how much of a body it has sent.
 * Covers what the typed client uses. A redirect is followed, because XMLHttpRequest cannot refuse one.
 */
export const fetchWithProgress =
  (onSent: (sent: Sent) => void): typeof fetch =>
  (url, { method = 'GET', headers, body, signal } = {}) =>
    new Promise<XMLHttpRequest>((resolve, reject) => {
      const request = new XMLHttpRequest()
      const abort = () => request.abort()
      const stopped = () => reject(new DOMException('The call was stopped.', 'AbortError'))
      request.open(method, url instanceof Request ? url.url : url)
      new Headers(headers).forEach((value, name) => request.setRequestHeader(name, value))
      request.upload.onprogress = ({ loaded, total }) => onSent({ bytes: loaded, total })
      request.onload = () => resolve(request)
      request.onerror = () => reject(new TypeError('the connection failed'))
      request.onabort = stopped
      request.onloadend = () => signal?.removeEventListener('abort', abort)
      if (signal?.aborted === true) stopped()
      else {
        signal?.addEventListener('abort', abort)
        request.send(body as XMLHttpRequestBodyInit | undefined)
      }
      // Not in the listener: an error there would not reject the promise.
    }).then(responseOf)

function responseOf(request: XMLHttpRequest): Response {
  const lines = request.getAllResponseHeaders().trim().split('\r\n')
  const headers = lines.filter(Boolean).map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  // A response with a status such as 204 must have no body, not even an empty one (Fetch standard, null body status).
  return new Response(request.responseText || null, { status: request.status, headers })
}
