import type { DeploymentKind } from '@svc/contract'
import { badRequest } from '@svc/contract/errors'
import type { CheckTerms } from './deployment.js'
import { checkFormTerms } from './forms/options.js'
import { checkLinkTerms } from './links/options.js'

/** The rules of each kind of deployment. */
export const checkTerms: Readonly<Record<DeploymentKind, CheckTerms>> = {
  form: checkFormTerms,
  shortlink: checkLinkTerms,
  webhook: () => {
    throw badRequest('kind', 'webhook is not implemented yet: form and shortlink are')
  },
}
