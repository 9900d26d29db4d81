import type { Call, Scene } from './scene.js'

/** Preparations for the calls of one operation. */
export interface SetUp {
  /** Creates the resources that the example names. @returns what differs from the example */
  readonly works?: (scene: Scene) => Promise<Call>
  /** A call for a resource of `stranger`. Needed where `forbidden` or `forbidden_zone` is declared. */
  readonly foreign?: (scene: Scene) => Promise<Call>
  /** A call for a nonexistent resource. Needed where `not_found` is declared. */
  readonly missing?: Call | ((scene: Scene) => Promise<Call>)
  /** Messages of the area's rules for input that the schema accepts. */
  readonly rules?: RegExp
}

/** Larger than any id in a test. */
export const unusedId = 987_654_321
