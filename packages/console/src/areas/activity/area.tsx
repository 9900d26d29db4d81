import { IconHistory } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

/** What was done in the account. */
export const activityArea: ConsoleArea = {
  label: 'Activity',
  icon: IconHistory,
  path: 'activity',
  group: 'Account',
  key: 'y',
  pages: [
    { index: true, lazy: async () => ({ Component: (await import('./activity-page.js')).ActivityPage }) },
    { path: 'webhooks', lazy: async () => ({ Component: (await import('./webhooks-page.js')).WebhooksPage }) },
  ],
  commands: [
    { label: 'Show the activity of the account', path: 'activity', words: 'events audit log journal history who csv' },
    { label: 'Show changes of zones', path: 'activity?area=dns', words: 'events audit log dns records history' },
    { label: 'Send events to a webhook', path: 'activity/webhooks', words: 'notify http url deliveries' },
    {
      label: 'Show sign-ins and changes of API keys',
      path: 'activity?area=account',
      words: 'events audit log security',
    },
  ],
}
