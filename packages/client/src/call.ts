import { consolePath, type Operation } from '@svc/contract'
import { countedStream } from './counted-stream.js'
import { startDeadline, type Deadline } from './deadline.js'
import { InputError, NoAnswerError, SvcError, type FailureEnvelope } from './errors.js'
import { parseUrl, redirectOf } from './redirect.js'
import { requestOf, type AnyInput, type ByteContent, type HttpRequest } from './request.js'

/** The entry point: `bearer` is `/v1` with a token, `console` is `/console/api` with the browser's session. */
export type Door = 'bearer' | 'console'

export interface ClientOptions {
  /**
   * Base URL of the API, such as `https://api.example.com`; empty for the origin of the page. The client follows no
   * redirects, so it must be the final address.
   */
  readonly baseUrl: string
  /** For `/v1`. Public operations need no token. */
  readonly token?: string | undefined
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /**
   * Deadline of a call in milliseconds: for the whole answer, or for the headers of a stream. Default 30,000. A call with
   * bytes gets the time that they take on a slow line in addition.
   */
  readonly timeoutMs?: number | undefined
  readonly door?: Door | undefined
}

/** The body of a successful answer (specification, section 2.1). */
export interface SuccessEnvelope {
  readonly success: true
  readonly data: Readonly<Record<string, unknown>>
  readonly request_id: string
}

export type Answer =
  | { readonly kind: 'json'; readonly envelope: SuccessEnvelope }
  | { readonly kind: 'document'; readonly text: string }
  | { readonly kind: 'stream'; readonly response: Response }

export interface CallOptions extends ByteContent {
  /** Called when the connection has taken bytes of a form, which is then sent as a stream. Not in browsers. */
  readonly onSent?: ((bytes: number) => void) | undefined
  /** Further request headers, such as Range for a stream. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Replaces the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined
  /** Ends the call, which then rejects with the signal's reason, and the body of a stream. */
  readonly signal?: AbortSignal | undefined
}

/**
 * @throws SvcError on an error answer, NoAnswerError without an answer of the API, InputError for an invalid path parameter
 * and for bytes that the operation does not accept
 */
export type Caller = (op: Operation, input?: AnyInput, options?: CallOptions) => Promise<Answer>

/** Creates a function that calls operations chosen at run time; otherwise use `createClient`. @throws InputError */
export function createCaller({ baseUrl, token, timeoutMs = 30_000, door = 'bearer', ...rest }: ClientOptions): Caller {
  // Checked here, because fetch would quote the token in its message.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    const about = { field: 'token', problem: 'contains invalid characters' }
    throw new InputError(`${about.field} ${about.problem}`, about)
  }
  const authorization = token === undefined || door === 'console' ? {} : { authorization: `Bearer ${token}` }
  const credentials = door === 'console' ? 'same-origin' : 'omit'
  const base = baseOf(baseUrl)

  return async (op, input = {}, { bytes, files, onSent, headers, signal, ...own } = {}) => {
    const request = streamed(requestOf(op, input, { bytes, files }), onSent)
    const path = door === 'console' ? consolePath(request.path) : request.path
    const what = `${request.method} ${base}${path.split('?', 1)[0] ?? ''}`
    const deadline = startDeadline(own.timeoutMs ?? timeoutMs, request.body)
    try {
      // Not a default parameter: browsers throw if their fetch is called as a method of another object.
      const response = await (rest.fetch ?? fetch)(base + path, {
        method: request.method,
        headers: { ...headers, ...authorization, ...headersFor(op, request) },
        credentials,
        signal: signal === undefined ? deadline.signal : AbortSignal.any([deadline.signal, signal]),
        // Not followed: 301 and 302 turn a POST into a GET (Fetch standard, HTTP-redirect fetch, step 12), and 307 sends the
        // body to another server.
        redirect: 'manual',
        ...bodyFor(request, deadline),
      })
      const redirect = redirectOf(response, what)
      if (redirect !== undefined) {
        await response.body?.cancel()
        throw redirect
      }
      return await read(op, response)
    } catch (error) {
      if (error instanceof SvcError || error instanceof NoAnswerError) throw error
      signal?.throwIfAborted()
      if (deadline.signal.aborted)
        throw new NoAnswerError('timeout', `${what}: no answer within ${deadline.ms / 1000} s`, { cause: error })
      throw new NoAnswerError('network', `${what}: ${reasonOf(error)}`, { cause: error })
    } finally {
      deadline.clear()
    }
  }
}

/** Removes trailing slashes. @throws InputError for a URL with a password: fetch would quote it in its message */
function baseOf(baseUrl: string): string {
  const { username, password } = parseUrl(baseUrl) ?? { username: '', password: '' }
  if (username !== '' || password !== '') throw new InputError('baseUrl must not contain a user or a password')
  return withoutSlashes(baseUrl)
}

const headersFor = (op: Operation, { mediaType }: HttpRequest): Record<string, string> => ({
  ...(op.kind === 'json' ? { accept: 'application/json' } : {}),
  ...(mediaType === undefined ? {} : { 'content-type': mediaType }),
})

/** The request with its form as a stream that reports what was sent. */
function streamed(request: HttpRequest, onSent: CallOptions['onSent']): HttpRequest {
  if (!(request.body instanceof FormData) || onSent === undefined) return request
  const encoded = new Response(request.body)
  const mediaType = encoded.headers.get('content-type') ?? undefined
  return { ...request, body: encoded.body ? countedStream(encoded.body, onSent) : undefined, mediaType }
}

/** A stream needs `duplex` (Fetch standard, RequestInit): the answer is read after the whole body was sent. */
function bodyFor({ body }: HttpRequest, deadline: Deadline): RequestInit {
  if (body === undefined) return {}
  return body instanceof ReadableStream ? { body: deadline.watch(body), duplex: 'half' } : { body }
}

async function read(op: Operation, response: Response): Promise<Answer> {
  // 304 answers a condition in `headers`.
  if ((response.ok || response.status === 304) && op.kind === 'stream') return { kind: 'stream', response }
  const text = await response.text()
  const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '')
  // Some documents have a JSON form: /v1/ai with format=json.
  if (response.ok && op.kind === 'document' && !(isJson && op.data)) return { kind: 'document', text }
  const envelope = envelopeOf(text)
  if (response.ok && envelope?.success === true) return { kind: 'json', envelope }
  if (!response.ok && envelope?.success === false) throw new SvcError(response.status, envelope)
  const mediaType = response.headers.get('content-type') ?? 'no media type'
  throw new NoAnswerError(
    'answer',
    `${op.method} ${response.url.split('?', 1)[0] ?? ''}: not an answer of the API: status ${response.status}, ${mediaType}`,
    { status: response.status },
  )
}

/** Parses the envelope; undefined for any other text. */
function envelopeOf(text: string): SuccessEnvelope | FailureEnvelope | undefined {
  let parsed: Partial<SuccessEnvelope | FailureEnvelope> | null
  try {
    parsed = JSON.parse(text) as typeof parsed
  } catch {
    return undefined
  }
  if (typeof parsed !== 'object' || typeof parsed?.request_id !== 'string') return undefined
  if (parsed.success === true) return isObject(parsed.data) ? (parsed as SuccessEnvelope) : undefined
  const whole = parsed.success === false && typeof parsed.error === 'string' && typeof parsed.message === 'string'
  return whole ? (parsed as FailureEnvelope) : undefined
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Removes trailing slashes. Not with `/\/+$/`, which takes quadratic time. */
function withoutSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}

/** The message with its cause: Node.js puts the reason into `cause`, which has only a code if several addresses failed. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { message?: string; code?: string } }
  return [message, cause?.message === '' ? cause.code : cause?.message].filter(Boolean).join(': ')
}
