import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { ApiError, requiredScopes, type Operation, type Scope } from '@svc/contract'
import type { Caller } from '../shared/account.js'
import { requireRecentPassword } from '../shared/recent-password.js'
import type { RunningHandlers } from './running-handlers.js'

/** A way to authenticate: /v1 and /console/api have one each. Areas do not know which door a caller has used. */
export interface Door {
  /** Checks every request, also those of public operations. @throws ApiError for a request that the door does not accept */
  readonly admit?: (request: FastifyRequest) => void
  /** Authenticates the caller. @throws ApiError `unauthorized` */
  readonly identify: (request: FastifyRequest) => Caller | Promise<Caller>
}

/**
 * Checks the token, then the scope. Sets `caller` and `hadWholeBody` of the request.
 * @returns a promise if the door must wait for the database
 * @throws ApiError
 */
export type Authenticator = (request: FastifyRequest) => Promise<void> | undefined

export function authenticator(op: Operation, door: Door, running: RunningHandlers): Authenticator {
  const accepted = requiredScopes(op)
  const admit = (request: FastifyRequest, caller: Caller) => {
    request.caller = caller
    request.hadWholeBody = request.raw.complete
    refuseScopes(caller, accepted)
    if (op.showsSecrets === true) requireRecentPassword(caller.session)
  }
  return (request) => {
    door.admit?.(request)
    const caller = door.identify(request)
    if (caller instanceof Promise)
      return running.track(caller).then((found) => {
        admit(request, found)
      })
    admit(request, caller)
    return undefined
  }
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

export const asHook =
  (authenticate: Authenticator): Hook =>
  (request, _reply, done) => {
    const waiting = authenticate(request)
    if (waiting === undefined) done()
    else
      waiting.then(() => {
        done()
      }, done)
  }

/**
 * After an error of a handler. If the error is unexpected and the caller is not valid any more, the caller's account has been deleted
 * during the request, and the answer is 401.
 * @throws the error, or ApiError `unauthorized`
 */
export async function rethrow(error: unknown, request: FastifyRequest, authenticate: Authenticator): Promise<never> {
  if (error instanceof ApiError) throw error
  try {
    await authenticate(request)
  } catch (refusal) {
    throw refusal instanceof ApiError && refusal.code === 'unauthorized' ? refusal : error
  }
  throw error
}

/** Authenticates again if the body was still on its way: a client may delay it, and the token may have been revoked since. */
export const afterLateBody = (authenticate: Authenticator): Hook => {
  const again = asHook(authenticate)
  return (request, reply, done) => {
    if (request.hadWholeBody) done()
    else again(request, reply, done)
  }
}

export const admitOnly =
  (admit: NonNullable<Door['admit']>): NonNullable<RouteOptions['onRequest']> =>
  (request, _reply, done) => {
    admit(request)
    done()
  }

function refuseScopes({ scopes }: Caller, accepted: readonly Scope[]): void {
  if (accepted.length === 0 || scopes.some((scope) => scope === '*' || accepted.includes(scope))) return
  const needed = accepted.length === 1 ? 'the scope' : 'one of the scopes'
  throw new ApiError('forbidden_scope', `The token needs ${needed} ${accepted.join(', ')}.`, {
    required_scopes: accepted,
    token_scopes: scopes,
  })
}
