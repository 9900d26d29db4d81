import type { Context } from '../../../http/handler.js'
import { sessionActor, type Actor } from '../../../shared/actor.js'

/** A browser at the sign-in, which has no session yet. */
export const browserActor = ({ ip, requestId }: Context): Actor => ({ ...sessionActor, ip, requestId })
