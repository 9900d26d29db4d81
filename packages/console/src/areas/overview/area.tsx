import { IconLayoutDashboard } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

/** The start page: what needs attention. */
export const overviewArea: ConsoleArea = {
  label: 'Overview',
  icon: IconLayoutDashboard,
  path: '',
  group: 'Start',
  key: 'o',
  pages: [{ index: true, lazy: async () => ({ Component: (await import('./overview-page.js')).OverviewPage }) }],
}
