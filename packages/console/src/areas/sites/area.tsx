import { IconBrowser } from '@tabler/icons-react'
import type { ConsoleArea } from '../../app/area.js'

/** Static sites, their versions and domains. */
export const sitesArea: ConsoleArea = {
  label: 'Sites',
  icon: IconBrowser,
  path: 'sites',
  group: 'Content',
  pages: [],
}
