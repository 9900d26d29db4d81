import { IconMessage } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

/** Forwarded SMS messages, and the keys of devices. */
export const messagesArea: ConsoleArea = {
  label: 'Messages',
  icon: IconMessage,
  path: 'messages',
  group: 'Inbox',
  key: 'i',
  pages: [
    { index: true, lazy: async () => ({ Component: (await import('./messages-page.js')).MessagesPage }) },
    { path: 'keys', lazy: async () => ({ Component: (await import('./keys-page.js')).ForwarderKeysPage }) },
  ],
  commands: [
    { label: 'Forwarder keys', path: 'messages/keys' },
    { label: 'Forward the messages of a phone', path: 'messages/keys?new', words: 'new forwarder key' },
  ],
  finds: { sender: ([sender = '']) => `messages?search=${sender}` },
}
