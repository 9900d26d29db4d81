import { IconTools } from '@tabler/icons-react'
import type { ConsoleArea } from '../../app/area.js'

/** Time, address, exchange rates and hashes, without a token. */
export const toolsArea: ConsoleArea = {
  label: 'Public tools',
  icon: IconTools,
  path: 'tools',
  group: 'Account',
  pages: [],
}
