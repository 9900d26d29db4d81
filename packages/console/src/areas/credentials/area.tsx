import { IconLock } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

/** Stored credentials. */
export const credentialsArea: ConsoleArea = {
  label: 'Credentials',
  icon: IconLock,
  path: 'credentials',
  group: 'Account',
  key: 'c',
  pages: [{ index: true, lazy: async () => ({ Component: (await import('./credentials-page.js')).CredentialsPage }) }],
  commands: [{ label: 'Store a credential', path: 'credentials?new', words: 'new add secret' }],
  finds: { credential: ([id = '']) => `credentials?credential=${id}` },
}
