import type { DeploymentKind } from '@svc/contract'
import type { CheckTerms } from './deployment.js'
import { checkFormTerms } from './forms/options.js'
import { checkLinkTerms } from './links/options.js'
import { checkWebhookTerms } from './webhooks/terms.js'

/** The rules of each kind of deployment. */
export const checkTerms: Readonly<Record<DeploymentKind, CheckTerms>> = {
  form: checkFormTerms,
  shortlink: checkLinkTerms,
  webhook: checkWebhookTerms,
}
