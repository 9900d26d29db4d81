import { badRequest } from '@svc/contract/errors'
import { visibleTextProblem } from '@svc/contract/limits'

/**
 * Rejects line breaks, escape sequences and bidi controls.
 * @throws ApiError `bad_request` for a control or format character, or a line or paragraph separator
 */
export function refuseInvisible(field: string, text: string): void {
  const problem = visibleTextProblem(text)
  if (problem !== undefined) throw badRequest(field, problem)
}
