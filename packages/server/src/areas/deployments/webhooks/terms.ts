import { badRequest } from '@svc/contract/errors'
import { targetProblem } from '../../../ports/outbound/target-url.js'
import { checkUrlLength } from '../check-url.js'
import type { CheckTerms } from '../deployment.js'
import { createSecret } from '../../../ports/outbound/deliveries/signature.js'

/**
 * The rules of a webhook. Whether an address is public is not checked here, because it depends on the settings of the server: the
 * handler checks it for a URL with an address, and the delivery for a name.
 */
export const checkWebhookTerms: CheckTerms = ({ target, form, shortlink }, before) => {
  if (form !== undefined) throw badRequest('form', 'is not for webhooks')
  if (shortlink !== undefined) throw badRequest('shortlink', 'is not for webhooks')
  return {
    target: target === undefined ? (before?.target ?? null) : checkTarget(target),
    settings: '{}',
    secret: before?.secret ?? createSecret(),
    expiresAt: null,
    maxUses: null,
  }
}

function checkTarget(target: string | null): string | null {
  if (target === null) return null
  checkUrlLength('target', target)
  const problem = targetProblem(target, () => true)
  if (problem !== undefined) throw badRequest('target', problem)
  return new URL(target).href
}
