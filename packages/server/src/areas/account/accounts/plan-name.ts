import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'

export const planNameMaxLength = 32

export const planNameForm = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/

/** @throws ApiError `bad_request` for a text that cannot be the name of a plan */
export function checkPlanName(name: string): string {
  if (name.length > planNameMaxLength || !planNameForm.test(name))
    throw badRequest(
      'plan',
      `must have at most ${String(planNameMaxLength)} lower-case letters, digits and hyphens, such as team-2, not ${quoted(name)}`,
    )
  return name
}
