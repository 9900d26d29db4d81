import type { FastifyRequest } from 'fastify'
import type { BlobIntake, NewBlob } from '../../ports/blobs/intake.js'
import type { Bytes } from '../../ports/blobs/port.js'
import { RequestContext, type TrustedProxies } from '../context.js'
import type { Authenticator } from '../door.js'
import type { ByteHandler, ByteLimits } from '../handler.js'
import { refuseEncoded } from '../read-body.js'
import type { Staged, StagedFiles } from '../staged.js'
import type { InputChecks } from '../validate.js'
import { refuseTooLong } from './byte-body.js'
import type { BytesInFlight, RequestBytes } from './bytes-in-flight.js'
import { openBody, type ByteOperation } from './open-body.js'
import { startOf } from './start-of.js'
import { storeFiles, type ArrivingFiles } from './store-files.js'

/** Stores the bytes of requests. */
export type Intake = Pick<BlobIntake, 'put' | 'settle' | 'discard' | 'requireSpace'>

interface ByteRoute {
  readonly op: ByteOperation
  readonly handler: ByteHandler<never>
  readonly checks: InputChecks
  /** Undefined for an operation without authentication. */
  readonly authenticate: Authenticator | undefined
  readonly intake: Intake
  /** Shared by all routes. */
  readonly inFlight: BytesInFlight
  readonly trusted: TrustedProxies
}

/** Answers requests of an operation with bytes: stores the bytes while they arrive, then calls the handler. */
export const receiveBytes =
  (route: ByteRoute) =>
  async (request: FastifyRequest): Promise<unknown> => {
    try {
      return await storeAndHandle(route, request)
    } finally {
      // Discards the rest of the body: closing a connection with unread bytes resets it, and the client could lose the answer.
      // `SlowClients` ends a connection whose rest goes on.
      request.raw.resume()
    }
  }

async function storeAndHandle(route: ByteRoute, request: FastifyRequest): Promise<unknown> {
  const { op, handler, checks } = route
  const context = new RequestContext(request, route.trusted) as never
  const params = checks.params(request.params)
  refuseEncoded(request)
  const body = openBody(request, op, checks)
  route.intake.requireSpace(Number(request.headers['content-length'] ?? 0))

  return route.inFlight.run(request.caller?.account.id, async (own) => {
    const input = async () => {
      // A client may delay its body, and the token may have been revoked since.
      await route.authenticate?.(request)
      return { params, query: {}, body: body.fields() }
    }
    try {
      const { bytes, limits } = await limitedBytes(own)
      if (op.bytes.each) {
        const files = { op, bytes, limits, names: body.names }
        return await handleFiles(route, own, files, input, context)
      }
      if (!handler.small) return await handleStored(route, own, bytes, input, context)
      const start = await startOf(bytes, handler.small.maxBytes)
      if (!Buffer.isBuffer(start)) return await handleStored(route, own, start, input, context)
      const answer = await handler.small.handle({ ...(await input()), bytes: start } as never, context)
      own.isKept = true
      return answer
    } finally {
      // After a failure before the last byte, the rest of the body could not be discarded otherwise.
      await body.bytes.return(undefined)
    }
  })

  async function limitedBytes(own: RequestBytes): Promise<{ readonly bytes: Bytes; readonly limits: ByteLimits }> {
    const known = await body.known()
    const ask = () => handler.limit(context, known)
    const reading = await own.read(ask)
    refuseTooLong(request.raw, body, reading.limits)
    return { bytes: own.limited(body.bytes, reading, ask), limits: reading.limits }
  }
}

/** Stores bytes, and removes them unless the handler keeps them. */
async function handleStored(
  { handler, intake }: ByteRoute,
  own: RequestBytes,
  arriving: Bytes,
  input: () => Promise<object>,
  context: never,
): Promise<unknown> {
  const { key, size, sha256 } = await intake.put(arriving)
  const keep = () => {
    own.isKept = true
  }
  try {
    const bytes: Staged = { key, size, sha256, keep }
    return await handler.handle({ ...(await input()), bytes } as never, context)
  } finally {
    if (own.isKept) intake.settle(key)
    else await intake.discard(key)
  }
}

/** The same for several files. All of them are kept or removed. */
async function handleFiles(
  { handler, intake }: ByteRoute,
  own: RequestBytes,
  arriving: ArrivingFiles,
  input: () => Promise<object>,
  context: never,
): Promise<unknown> {
  const stored: NewBlob[] = []
  const keep = () => {
    own.isKept = true
  }
  try {
    for await (const object of storeFiles(arriving, intake)) stored.push(object)
    const names = arriving.names()
    const files = stored.map((object, index) => ({ ...object, name: names[index] ?? '' }))
    const bytes: StagedFiles = { files, keep }
    return await handler.handle({ ...(await input()), bytes } as never, context)
  } finally {
    if (own.isKept) for (const { key } of stored) intake.settle(key)
    else await intake.discard(...stored.map(({ key }) => key))
  }
}
