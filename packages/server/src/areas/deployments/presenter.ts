import { deploymentFolders } from '@svc/contract'
import type { CallerSession } from '../../shared/account.js'
import { isPasswordRecent } from '../../shared/recent-password.js'
import { timestamp } from '../../shared/timestamp.js'
import type { Deployment, DeploymentWithHealth, ListedDeployment } from './deployment.js'
import { formOptionsOf } from './forms/options.js'
import { linkOptionsOf } from './links/options.js'
import { failingToJson } from './webhooks/presenter.js'

/** A deployment in the API's answers. @param contentUrl the origin of the content host */
export const deploymentToJson = (contentUrl: string, deployment: ListedDeployment) => ({
  id: deployment.id,
  kind: deployment.kind,
  slug: deployment.slug,
  url: `${contentUrl}/${deploymentFolders[deployment.kind]}/${deployment.slug}`,
  target: deployment.target,
  enabled: deployment.isEnabled,
  uses: deployment.uses,
  created_at: timestamp(deployment.createdAt),
})

/** The same with the deliveries of a webhook that fail. */
export const listedToJson = (contentUrl: string, { failing, ...deployment }: DeploymentWithHealth) => ({
  ...deploymentToJson(contentUrl, deployment),
  failing: failingToJson(failing),
})

/** The same with the options of its kind. @param session of the caller: one without a recent password gets no secret */
export const detailToJson = (contentUrl: string, deployment: Deployment, session: CallerSession | null) => ({
  ...deploymentToJson(contentUrl, deployment),
  ...optionsToJson(deployment, isPasswordRecent(session)),
  updated_at: timestamp(deployment.updatedAt),
})

function optionsToJson(deployment: Deployment, showsSecret: boolean) {
  const { kind, expiresAt, maxUses, secret } = deployment
  if (kind === 'form') {
    const { next_urls, origins } = formOptionsOf(deployment)
    return { form: { next_urls: [...next_urls], origins: [...origins] } }
  }
  if (kind === 'shortlink') {
    const expiry = expiresAt === null ? null : timestamp(expiresAt)
    return { shortlink: { ...linkOptionsOf(deployment), expires_at: expiry, max_uses: maxUses } }
  }
  return { webhook: { secret: (showsSecret ? secret : null) ?? '' } }
}
