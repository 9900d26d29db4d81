import { IconMessage } from '@tabler/icons-react'
import type { ConsoleArea } from '../../app/area.js'

/** Forwarded SMS messages, and the keys of devices. */
export const messagesArea: ConsoleArea = {
  label: 'Messages',
  icon: IconMessage,
  path: 'messages',
  group: 'Inbox',
  pages: [],
}
