import { consolePath, type Operation } from '@svc/contract'
import { InputError, NoAnswerError, SvcError, type FailureEnvelope } from './errors.js'
import { redirectOf } from './redirect.js'
import { requestOf, type AnyInput, type WireRequest } from './request.js'

/** Which way in: `/v1` with a token, or `/console/api` with the browser's session. */
export type Door = 'bearer' | 'console'

export interface ClientOptions {
  /**
   * Where the API is, such as `https://api.example.com`; empty for the page's own origin. Redirects are not followed, so it
   * must be the address that answers.
   */
  readonly baseUrl: string
  /** For the Bearer door; public operations need none. */
  readonly token?: string | undefined
  /** Instead of the global one. */
  readonly fetch?: typeof fetch | undefined
  /** How long a call may take: an answer as a whole, of a stream its beginning. Default 30 seconds. */
  readonly timeoutMs?: number | undefined
  readonly door?: Door | undefined
}

/** The answer of an operation that went well, as it came. */
export interface SuccessEnvelope {
  readonly success: true
  readonly data: Readonly<Record<string, unknown>>
  readonly request_id: string
}

export type Answer =
  | { readonly kind: 'json'; readonly envelope: SuccessEnvelope }
  | { readonly kind: 'document'; readonly text: string }
  | { readonly kind: 'stream'; readonly response: Response }

/** @throws SvcError when the server refuses, NoAnswerError when there is no answer of it, InputError for an unusable path */
export type Caller = (op: Operation, input?: AnyInput) => Promise<Answer>

/** Calls operations that are known at run time only; `createClient` is for those known before. @throws InputError */
export function createCaller({ baseUrl, token, timeoutMs = 30_000, door = 'bearer', ...rest }: ClientOptions): Caller {
  // Refused here because fetch would quote the token in its message.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw new InputError('token holds characters no token has')
  const authorization = token === undefined || door === 'console' ? {} : { authorization: `Bearer ${token}` }
  const credentials = door === 'console' ? 'same-origin' : 'omit'
  const base = baseOf(baseUrl)

  return async (op, input = {}) => {
    const wire = requestOf(op, input)
    const path = door === 'console' ? consolePath(wire.path) : wire.path
    const what = `${wire.method} ${base}${path.split('?', 1)[0] ?? ''}`
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), timeoutMs)
    try {
      // Not a default parameter: browsers refuse their own fetch as the method of another object.
      const response = await (rest.fetch ?? fetch)(base + path, {
        method: wire.method,
        headers: { ...authorization, ...headersFor(op, wire) },
        credentials,
        signal: abort.signal,
        // Followed, a 301 or 302 turns a POST into a GET (Fetch standard, HTTP-redirect fetch, step 12), and a 307 sends the
        // body to whatever server it names.
        redirect: 'manual',
        ...(wire.body === undefined ? {} : { body: wire.body }),
      })
      const redirect = redirectOf(response, what)
      if (redirect !== undefined) {
        await response.body?.cancel()
        throw redirect
      }
      return await read(op, response)
    } catch (error) {
      if (error instanceof SvcError || error instanceof NoAnswerError) throw error
      if (abort.signal.aborted)
        throw new NoAnswerError('timeout', `${what}: no answer within ${timeoutMs / 1000} s`, { cause: error })
      throw new NoAnswerError('network', `${what}: ${reasonOf(error)}`, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Removes trailing slashes. @throws InputError if it contains a password: fetch would quote it in its error message */
function baseOf(baseUrl: string): string {
  const { username, password } = URL.canParse(baseUrl) ? new URL(baseUrl) : { username: '', password: '' }
  if (username !== '' || password !== '') throw new InputError('baseUrl must not hold a user or a password')
  return withoutSlashes(baseUrl)
}

const headersFor = (op: Operation, { body }: WireRequest): Record<string, string> => ({
  ...(op.kind === 'json' ? { accept: 'application/json' } : {}),
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
})

async function read(op: Operation, response: Response): Promise<Answer> {
  if (response.ok && op.kind === 'stream') return { kind: 'stream', response }
  const text = await response.text()
  const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '')
  // A document may be asked for as data instead: /v1/ai with format=json.
  if (response.ok && op.kind === 'document' && !(isJson && op.data)) return { kind: 'document', text }
  const envelope = envelopeOf(text)
  if (response.ok && envelope?.success === true) return { kind: 'json', envelope }
  if (!response.ok && envelope?.success === false) throw new SvcError(response.status, envelope)
  const mediaType = response.headers.get('content-type') ?? 'no media type'
  throw new NoAnswerError(
    'answer',
    `${op.method} ${response.url.split('?', 1)[0] ?? ''}: not an answer of the API: status ${response.status}, ${mediaType}`,
  )
}

/** The envelope a text holds; undefined where it is something else. */
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

/** Not with `/\/+$/`, which restarts at every slash and takes quadratic time. */
function withoutSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}

/** Node puts the reason into `cause`, and where several addresses were tried, into each of its errors. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { message?: string; code?: string } }
  return [message, cause?.message === '' ? cause.code : cause?.message].filter(Boolean).join(': ')
}
