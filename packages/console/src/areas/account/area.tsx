import { IconUserCircle } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

/** The user's profile, sessions and API keys. */
export const accountArea: ConsoleArea = {
  label: 'Account',
  icon: IconUserCircle,
  path: 'account',
  group: 'Account',
  key: 'a',
  pages: [
    { index: true, lazy: async () => ({ Component: (await import('./account-page.js')).AccountPage }) },
    { path: 'keys', lazy: async () => ({ Component: (await import('./keys-page.js')).KeysPage }) },
  ],
  commands: [
    { label: 'Create an API key', path: 'account/keys?new', words: 'new token' },
    { label: 'API keys', path: 'account/keys' },
    { label: 'Revoke an API key', path: 'account/keys', words: 'delete token' },
    { label: 'Change the display name', path: 'account' },
    { label: 'Change the password', path: 'account?password', words: 'reset forgotten' },
    { label: 'Change the email', path: 'account?email', words: 'address mail' },
    { label: 'Choose which e-mails you get', path: 'account', words: 'notifications mail unsubscribe' },
    { label: 'Delete the account', path: 'account?delete', words: 'remove close end' },
    { label: 'Revoke all API keys', path: 'account', words: 'tokens leaked' },
    { label: 'Sign out other browsers', path: 'account' },
  ],
  finds: { key: ([id = '']) => `account/keys?key=${id}` },
}
