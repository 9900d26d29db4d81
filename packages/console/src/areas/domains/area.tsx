import { IconCalendarEvent } from '@tabler/icons-react'
import type { ConsoleArea } from '../../app/area.js'

/** The domain portfolio and its expiry dates. */
export const domainsArea: ConsoleArea = {
  label: 'Domains',
  icon: IconCalendarEvent,
  path: 'domains',
  group: 'Names',
  pages: [],
}
