import { IconBrowser } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

/** Static sites, their versions and domains. */
export const sitesArea: ConsoleArea = {
  label: 'Sites',
  icon: IconBrowser,
  path: 'sites',
  group: 'Content',
  key: 's',
  pages: [
    { index: true, lazy: async () => ({ Component: (await import('./sites-page.js')).SitesPage }) },
    { path: ':name', lazy: async () => ({ Component: (await import('./site-page.js')).SitePage }) },
  ],
  commands: [{ label: 'Deploy a site', path: 'sites?new', words: 'new' }],
  finds: { site: ([name = '']) => `sites/${name}` },
}
