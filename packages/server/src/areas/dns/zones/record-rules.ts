import type { RuleAccess } from '@svc/contract/limits'
import { isPartOfZone, recordFilter, requireAllowed, type RuledRecord, type Rules } from '../../../shared/rules.js'

/** The rules of a token for the records of a zone. */

interface RuledZone {
  readonly zone: string
  readonly rules: Rules | undefined
}

/** The records of a change, those that it replaces in both lists. */
export interface ChangedRecords {
  readonly removed?: readonly RuledRecord[]
  readonly added?: readonly RuledRecord[]
}

/**
 * Checks every record that a change removes and adds. All plans of changes call it before they compare the records with others of the
 * zone, because errors about conflicts name those.
 * @param access `read` for a preview
 * @throws ApiError `forbidden_zone`
 */
export function requireRecords({ rules, zone }: RuledZone, change: ChangedRecords, access: RuleAccess = 'write'): void {
  if (rules !== undefined) requireAllowed(rules, { ...change, kind: 'zone', name: zone, access })
}

/** How many records are checked between two points at which `requireSteps` can be interrupted. */
const recordsPerStep = 200

/** The same for many records, as a computation that can be interrupted. @throws as `requireRecords` */
export function* requireSteps(
  ruled: RuledZone,
  { removed = [], added = [] }: ChangedRecords,
  access?: RuleAccess,
): Generator<undefined, void> {
  requireRecords(ruled, {}, access)
  if (ruled.rules === undefined) return
  for (const records of [removed, added])
    for (let first = 0; first < records.length; first += recordsPerStep) {
      requireRecords(ruled, { added: records.slice(first, first + recordsPerStep) }, access)
      yield
    }
}

/** The records that the caller may read. */
export const readable = <R extends RuledRecord>({ rules, zone }: RuledZone, records: R[]): R[] =>
  isPartOfZone(rules, zone)
    ? records.filter(recordFilter(rules, { kind: 'zone', name: zone, access: 'read' }))
    : records
