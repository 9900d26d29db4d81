import { IconPackage } from '@tabler/icons-react'
import type { ConsoleArea } from '../../app/area.js'

/** Packages, their versions and artifacts. */
export const packagesArea: ConsoleArea = {
  label: 'Packages',
  icon: IconPackage,
  path: 'packages',
  group: 'Content',
  pages: [],
}
