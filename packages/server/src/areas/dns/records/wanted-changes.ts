import { ApiError, badRequest, badRequestSentence } from '@svc/contract/errors'
import { hostName } from '../values/host.js'
import { checkNewRecord } from './check.js'
import type { GivenChanges, GivenRecord, RecordChange, WantedRRset } from './record.js'
import { checkWantedRRset, type GivenRRset } from './wanted-rrset.js'

/** A change of a batch. It can be cloned by `structuredClone`. */
export type WantedChange = RecordChange | { readonly kind: 'replace'; readonly rrset: WantedRRset }

/** The input of a change of a batch. */
export type GivenChange =
  | { readonly create: GivenRecord }
  | { readonly update: GivenChanges & { readonly id: number } }
  | { readonly delete: { readonly id: number } }
  | { readonly replace: GivenRRset }

/**
 * The changes of a batch, their new records in canonical form, as a computation that can be interrupted after each change.
 * @param zone canonical
 * @throws ApiError `bad_request`, which names the change: `changes[3].create.value`
 */
export function* checkWantedChanges(
  zone: string,
  given: readonly GivenChange[],
): Generator<undefined, readonly WantedChange[]> {
  const wanted: WantedChange[] = []
  for (const [position, change] of given.entries()) {
    const [kind] = Object.keys(change) as [WantedChange['kind']]
    wanted.push(atChange(position, kind, () => wantedChange(zone, change)))
    yield
  }
  return wanted
}

function wantedChange(zone: string, change: GivenChange): WantedChange {
  if ('create' in change) return { kind: 'create', record: checkNewRecord(zone, change.create) }
  if ('replace' in change) return { kind: 'replace', rrset: checkWantedRRset(zone, change.replace) }
  if ('delete' in change) return { kind: 'delete', id: change.delete.id }
  const { id, ...changes } = change.update
  const { host } = changes
  return { kind: 'update', id, changes: host === undefined ? changes : { ...changes, host: hostName(zone, host) } }
}

/**
 * Runs a step for one change of a batch. Its error names the change: `changes[3].create.value must …`.
 * @throws ApiError as the step
 */
export function atChange<R>(position: number, kind: WantedChange['kind'], step: () => R): R {
  try {
    return step()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw namedError(`changes[${position}].${kind}`, error)
  }
}

function namedError(path: string, { code, message, extra, about }: ApiError): ApiError {
  const field = about === undefined ? path : `${path}.${about.field}`
  // A problem that is the whole message is a sentence.
  if (about !== undefined && about.problem !== message) return badRequest(field, about.problem)
  const sentence = `${field}: ${message}`
  return code === 'bad_request' ? badRequestSentence(field, sentence) : new ApiError(code, sentence, extra)
}
