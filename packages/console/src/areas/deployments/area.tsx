import { IconWebhook } from '@tabler/icons-react'
import type { ConsoleArea } from '../../app/area.js'

/** Forms, webhooks and short links. */
export const deploymentsArea: ConsoleArea = {
  label: 'Forms and links',
  icon: IconWebhook,
  path: 'deployments',
  group: 'Inbox',
  pages: [],
}
