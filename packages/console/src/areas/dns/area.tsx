import { IconWorld } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

/** Zones and their records. */
export const dnsArea: ConsoleArea = {
  label: 'DNS',
  icon: IconWorld,
  path: 'dns',
  group: 'Names',
  key: 'd',
  pages: [
    { index: true, lazy: async () => ({ Component: (await import('./zones-page.js')).ZonesPage }) },
    { path: 'secondaries', lazy: async () => ({ Component: (await import('./secondaries-page.js')).SecondariesPage }) },
    { path: ':zone', lazy: async () => ({ Component: (await import('./zone-page.js')).ZonePage }) },
    { path: ':zone/queries', lazy: async () => ({ Component: (await import('./queries-page.js')).QueriesPage }) },
    { path: ':zone/history', lazy: async () => ({ Component: (await import('./history-page.js')).HistoryPage }) },
    { path: ':zone/history/:serial', lazy: async () => ({ Component: (await import('./past-page.js')).PastPage }) },
  ],
  commands: [
    { label: 'Claim a zone', path: 'dns?claim', words: 'new add' },
    { label: 'Show the secondary nameservers', path: 'dns/secondaries', words: 'notify axfr tsig' },
  ],
  finds: { zone: ([zone = '']) => `dns/${zone}`, record: ([zone = '', id = '']) => `dns/${zone}?record=${id}` },
}
