import { IconWebhook } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

const detailPath = ([id = '']: readonly string[]) => `deployments/${id}`

/** Forms, webhooks and short links. */
export const deploymentsArea: ConsoleArea = {
  label: 'Forms and links',
  icon: IconWebhook,
  path: 'deployments',
  group: 'Inbox',
  key: 'l',
  pages: [
    { index: true, lazy: async () => ({ Component: (await import('./deployments-page.js')).DeploymentsPage }) },
    { path: ':id', lazy: async () => ({ Component: (await import('./deployment-page.js')).DeploymentPage }) },
  ],
  commands: [
    { label: 'Create a form', path: 'deployments?new=form', words: 'new' },
    { label: 'Create a webhook', path: 'deployments?new=webhook', words: 'new' },
    { label: 'Create a short link', path: 'deployments?new=shortlink', words: 'new' },
  ],
  finds: { form: detailPath, webhook: detailPath, shortlink: detailPath },
}
