import { IconCalendarEvent } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

/** The domain portfolio and its expiry dates. */
export const domainsArea: ConsoleArea = {
  label: 'Domains',
  icon: IconCalendarEvent,
  path: 'domains',
  group: 'Names',
  key: 'm',
  pages: [{ index: true, lazy: async () => ({ Component: (await import('./domains-page.js')).DomainsPage }) }],
  commands: [
    { label: 'Add domains', path: 'domains?add', words: 'new' },
    { label: 'Subscribe to the calendar of expiry dates', path: 'domains?calendar' },
  ],
  finds: { domain: ([name = '']) => `domains?domain=${name}` },
}
