import { IconWebhook } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

/** Forms, webhooks and short links. */
export const deploymentsArea: ConsoleArea = {
  label: 'Forms and links',
  icon: IconWebhook,
  path: 'deployments',
  group: 'Inbox',
  pages: [
    { index: true, lazy: async () => ({ Component: (await import('./deployments-page.js')).DeploymentsPage }) },
    { path: ':id', lazy: async () => ({ Component: (await import('./deployment-page.js')).DeploymentPage }) },
  ],
  commands: [
    { label: 'Create a form', path: 'deployments?new=form' },
    { label: 'Create a webhook', path: 'deployments?new=webhook' },
    { label: 'Create a short link', path: 'deployments?new=shortlink' },
  ],
}
