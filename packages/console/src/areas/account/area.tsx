import { IconUserCircle } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

/** The user's profile, sessions and API keys. */
export const accountArea: ConsoleArea = {
  label: 'Account',
  icon: IconUserCircle,
  path: 'account',
  group: 'Account',
  pages: [
    { index: true, lazy: async () => ({ Component: (await import('./account-page.js')).AccountPage }) },
    { path: 'keys', lazy: async () => ({ Component: (await import('./keys-page.js')).KeysPage }) },
  ],
  commands: [
    { label: 'Create an API key', path: 'account/keys?new' },
    { label: 'API keys', path: 'account/keys' },
    { label: 'Change the display name', path: 'account' },
    { label: 'Change the password', path: 'account?password' },
    { label: 'Sign out other browsers', path: 'account' },
  ],
}
