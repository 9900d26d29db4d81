import { METHODS } from 'node:http'
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify'
import { ApiError } from '@svc/contract'
import { ContentError, type EndpointAnswer } from './answer.js'
import type { ApiEndpointRoute, EndpointRequest, EndpointRoute } from './area.js'
import { clientAddress, ContentContext, type TrustedProxies } from './context.js'
import { jsonMediaType, success } from './envelope.js'
import { pathIn } from './paths.js'
import { readBody, readBodyStart, type BodyStart, type BodyWatch } from './read-body.js'
import type { RunningHandlers } from './running-handlers.js'

interface EndpointOptions {
  readonly trusted: TrustedProxies
  readonly running: RunningHandlers
}

/** CONNECT never reaches the router. */
const anyMethod = METHODS.filter((method) => method !== 'CONNECT')

/** Adds the endpoints of the areas to the content host. */
export function mountEndpoints(
  app: FastifyInstance,
  endpoints: readonly EndpointRoute[],
  options: EndpointOptions,
): void {
  for (const method of anyMethod) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  mountTextEndpoints(app, endpoints, options)
}

/** Adds endpoints with the methods that the application has. An error that `answer` throws is answered in the form of the application. */
export function mountTextEndpoints(
  app: FastifyInstance,
  endpoints: readonly EndpointRoute[],
  { trusted, running }: EndpointOptions,
): void {
  for (const { name, path, methods, maxBodyBytes, answer } of endpoints)
    app.route({
      method: methods === 'any' ? [...anyMethod] : [...methods],
      url: path,
      exposeHeadRoute: false,
      config: { operation: name },
      // In this hook, because Fastify refuses some requests by their Content-Type before it calls the handler. Without a promise: a
      // returned reply is a thenable, and Fastify would listen for its end, which costs as much as a query.
      onRequest: (request, reply, done) => {
        const send = ({ status, headers, body }: EndpointAnswer): void => {
          reply
            .code(status)
            .headers({ 'cache-control': 'no-store', ...headers })
            .send(body)
        }
        running
          .track(answer(new EndpointContext(request, trusted, maxBodyBytes, tooLong)))
          .then(send)
          .catch(done)
      },
      handler: answeredByHook,
    })
}

const tooLong = (maxBytes: number) => new ContentError(413, `The body must have at most ${String(maxBytes)} bytes.`)

/** Adds the endpoints of the areas to the API's host. */
export function mountApiEndpoints(
  app: FastifyInstance,
  endpoints: readonly ApiEndpointRoute[],
  { trusted, running }: EndpointOptions,
): void {
  for (const { name, path, methods, maxBodyBytes, answer } of endpoints)
    app.route({
      method: [...methods],
      url: path,
      exposeHeadRoute: false,
      config: { operation: name },
      onRequest: (request, reply, done) => {
        const send = (data: object): void => {
          reply.headers(apiHeaders).send(success(JSON.stringify(data), request.id))
        }
        running
          .track(answer(new EndpointContext(request, trusted, maxBodyBytes, tooLongForApi)))
          .then(send)
          .catch(done)
      },
      handler: answeredByHook,
    })
}

const apiHeaders = { 'content-type': jsonMediaType, 'cache-control': 'no-store' }

const tooLongForApi = (maxBytes: number) =>
  new ApiError('bad_request', `The body must have at most ${String(maxBytes)} bytes.`)

/** Fastify requires a handler for each route. */
const answeredByHook = () => undefined

class EndpointContext extends ContentContext implements EndpointRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly rawHeaders: readonly string[]
  readonly #request: FastifyRequest
  readonly #raw: FastifyRequest['raw']
  #body: Promise<Buffer> | undefined

  constructor(
    request: FastifyRequest,
    trusted: TrustedProxies,
    private readonly maxBodyBytes: number,
    private readonly tooLong: (maxBytes: number) => Error,
  ) {
    super(request, trusted)
    this.#request = request
    this.#raw = request.raw
    this.method = request.method
    this.rawHeaders = request.raw.rawHeaders
    const start = request.url.indexOf('?')
    this.path = pathIn(request.url)
    this.query = start === -1 ? '' : request.url.slice(start + 1)
  }

  get clientAddress(): string {
    return clientAddress(this.#request)
  }

  readonly bodyStart = (watch?: BodyWatch): Promise<BodyStart> => readBodyStart(this.#raw, this.maxBodyBytes, watch)

  readonly body = (watch?: BodyWatch): Promise<Buffer> => (this.#body ??= this.#read(watch))

  async #read(watch: BodyWatch | undefined): Promise<Buffer> {
    try {
      return await readBody(this.#raw, this.maxBodyBytes, watch)
    } catch (error) {
      if (!(error instanceof errorCodes.FST_ERR_CTP_BODY_TOO_LARGE)) throw error
      throw this.tooLong(this.maxBodyBytes)
    }
  }
}
