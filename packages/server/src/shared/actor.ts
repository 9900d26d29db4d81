import type { ActorKind } from '@svc/contract/limits'

/** What makes a change, as the history of the thing shows it. It can be cloned by `structuredClone`. */
export interface Actor {
  /** `protocol`: a change that another protocol than the API's asked for, or that follows from what another account did. */
  readonly kind: ActorKind
  /** Of the token; null for the other kinds. */
  readonly id: number | null
  /** The name of the token, the command of the operator, `console` for a session. */
  readonly name: string
  /** Null for a change without a request. */
  readonly requestId: string | null
  /** The address of the client; null for a change without a request. */
  readonly ip: string | null
}

/** The operator, by a command such as `svc dns import`. */
export const operatorActor = (command: string): Actor => ({
  kind: 'operator',
  id: null,
  name: command,
  requestId: null,
  ip: null,
})

/** A token, without the request that it is used in. */
export const tokenActor = ({ id, name }: { readonly id: number; readonly name: string }): Actor => ({
  kind: 'token',
  id,
  name,
  requestId: null,
  ip: null,
})

/** A browser session, without the request that it is used in. */
export const sessionActor: Actor = { kind: 'session', id: null, name: 'console', requestId: null, ip: null }

/** Of two accounts, one must not learn what the other has used. */
export const otherAccountActor: Actor = {
  kind: 'protocol',
  id: null,
  name: 'claim of another account',
  requestId: null,
  ip: null,
}
