import { IconPackage } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

/** Packages, their versions and artifacts. */
export const packagesArea: ConsoleArea = {
  label: 'Packages',
  icon: IconPackage,
  path: 'packages',
  group: 'Content',
  key: 'p',
  pages: [
    { index: true, lazy: async () => ({ Component: (await import('./packages-page.js')).PackagesPage }) },
    { path: ':slug', lazy: async () => ({ Component: (await import('./package-page.js')).PackagePage }) },
  ],
  commands: [{ label: 'Publish a package', path: 'packages?publish', words: 'new' }],
  finds: { package: ([slug = '']) => `packages/${slug}` },
}
