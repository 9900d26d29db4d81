import { IconWorld } from '@tabler/icons-react'
import type { ConsoleArea } from '../../app/area.js'

/** Zones and their records. */
export const dnsArea: ConsoleArea = {
  label: 'DNS',
  icon: IconWorld,
  path: 'dns',
  group: 'Names',
  pages: [],
}
