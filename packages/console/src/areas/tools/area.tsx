import { IconTools } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

/** Time, address, exchange rates and hashes, without an API key. */
export const toolsArea: ConsoleArea = {
  label: 'Public tools',
  icon: IconTools,
  path: 'tools',
  group: 'Account',
  key: 't',
  pages: [{ index: true, lazy: async () => ({ Component: (await import('./tools-page.js')).ToolsPage }) }],
  commands: [
    { label: 'Current time in UTC', path: 'tools#time' },
    { label: 'Your address and country', path: 'tools#address' },
    { label: 'Convert an amount', path: 'tools#rates' },
    { label: 'Hash a text', path: 'tools#hash' },
  ],
}
