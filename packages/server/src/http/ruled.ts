import { requiredScopes, type Operation, type Touched } from '@svc/contract'
import { ApiError } from '@svc/contract/errors'
import type { Account } from '../shared/account.js'
import { requireAllowed } from '../shared/rules.js'
import type { AnyHandler, CallerContext } from './handler.js'

/**
 * The names of things, which the rules of tokens have, by the fields with which requests name them: `id`. A field that is missing here
 * has the name itself. A function returns undefined for a thing that the account does not have: the handler answers that.
 */
export type ThingNames = Readonly<
  Record<string, (account: Account, given: string | number) => string | undefined | Promise<string | undefined>>
>

type Input = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>

/**
 * Checks the rules of the token before an operation touches the thing that its input names. Lists, and the records of zones, are
 * checked by their areas.
 */
export function ruled(op: Operation, handler: AnyHandler, names: ThingNames = {}): AnyHandler {
  const { touches, refusesRules } = op
  if (refusesRules !== undefined) {
    // Otherwise a token with rules could use it.
    if (typeof handler !== 'function') throw new Error(`${op.id} takes bytes: such operations cannot refuse rules.`)
    return refusing(op, refusesRules, handler)
  }
  if (touches?.by === undefined) return handler
  const check = checkOf(touches, touches.by, names)
  if (typeof handler === 'function') return after(check, handler)
  const { limit, handle, small } = handler
  const field = touches.by.slice(touches.by.indexOf('.') + 1)
  return {
    // Before the first byte is stored if the name is known by then, and again when all fields are.
    limit: async (context, known) => {
      const { account }: CallerContext = context
      if (account.rules !== undefined && field in known) await check({ body: known }, account)
      return limit(context, known)
    },
    handle: after(check, handle),
    ...(small && { small: { ...small, handle: after(check, small.handle) } }),
  }
}

/** @param what the token cannot use */
const refusing =
  <I, C, R>(op: Operation, what: string, handle: (input: I, context: C) => R) =>
  (input: I, context: C): R => {
    const { account, scopes } = context as CallerContext
    if (account.rules === undefined) return handle(input, context)
    throw new ApiError('forbidden_scope', `A token with rules cannot use ${what}.`, {
      required_scopes: requiredScopes(op),
      token_scopes: scopes,
    })
  }

/** The handler behind the check, which costs a caller without rules nothing. */
const after =
  <I, C, R>(check: Check, handle: (input: I, context: C) => R) =>
  (input: I, context: C): R | Promise<Awaited<R>> => {
    const { account } = context as CallerContext
    const checked = account.rules === undefined ? undefined : check(input as Input, account)
    return checked === undefined
      ? handle(input, context)
      : (checked.then(() => handle(input, context)) as Promise<Awaited<R>>)
  }

/** @throws ApiError as `requireAllowed` */
type Check = (input: Input, account: Account) => Promise<void> | undefined

function checkOf({ kind, access }: Touched, by: NonNullable<Touched['by']>, names: ThingNames): Check {
  const [place = '', field = ''] = by.split('.')
  const nameOf = names[field]
  return (input, account) => {
    const require = (name: string) => {
      requireAllowed(account.rules, { kind, name, access })
    }
    const given = input[place]?.[field]
    // A new thing whose name the server would choose.
    const isGiven = typeof given === 'string' || typeof given === 'number'
    const name = !isGiven ? '' : nameOf === undefined ? String(given) : nameOf(account, given)
    if (name instanceof Promise)
      return name.then((found) => {
        if (found !== undefined) require(found)
      })
    if (name !== undefined) require(name)
    return undefined
  }
}
