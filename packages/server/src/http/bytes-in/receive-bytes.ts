import type { FastifyRequest } from 'fastify'
import type { BlobIntake } from '../../ports/blobs/intake.js'
import { RequestContext, type TrustedProxies } from '../context.js'
import type { Authenticator } from '../door.js'
import type { ByteHandler } from '../handler.js'
import type { Staged } from '../staged.js'
import type { InputChecks } from '../validate.js'
import { atMost, refuseTooLong } from './byte-body.js'
import { openBody, type ByteOperation } from './open-body.js'

/** Stores the bytes of requests. */
export type Intake = Pick<BlobIntake, 'put' | 'settle' | 'discard'>

interface ByteRoute {
  readonly op: ByteOperation
  readonly handler: ByteHandler<never>
  readonly checks: InputChecks
  /** Undefined for an operation without authentication. */
  readonly authenticate: Authenticator | undefined
  readonly intake: Intake
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
  const { op, handler, checks, intake } = route
  const context = new RequestContext(request, route.trusted) as never
  const params = checks.params(request.params)
  const query = checks.query(request.query, request.url)
  const body = openBody(request, op, checks)
  const limit = await handler.limit(context, body.known)
  refuseTooLong(request.raw, body, limit)

  const { key, size, sha256 } = await intake.put(atMost(limit, body.bytes))
  const care = { isKept: false }
  const keep = () => {
    care.isKept = true
  }
  try {
    // A client may delay its body, and the token may have been revoked since.
    await route.authenticate?.(request)
    const bytes: Staged = { key, size, sha256, keep }
    return await handler.handle({ params, query, body: body.fields(), bytes } as never, context)
  } finally {
    if (care.isKept) intake.settle(key)
    else await intake.discard(key)
  }
}
