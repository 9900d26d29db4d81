import type { Call } from '../walk/scene.js'

/** A refusal that the schema cannot express. */
export interface Refusal {
  readonly message: RegExp
  readonly why: string
  /** Input that the schema allows and the server refuses with this message. It shows that the entry is still needed. */
  readonly example: Call
}
