import { IconId } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

/** Registration data of any domain. */
export const whoisArea: ConsoleArea = {
  label: 'WHOIS',
  icon: IconId,
  path: 'whois',
  group: 'Names',
  key: 'w',
  pages: [{ index: true, lazy: async () => ({ Component: (await import('./whois-page.js')).WhoisPage }) }],
}
