import { IconFiles } from '@tabler/icons-react'
import type { ConsoleArea } from '../../app/area.js'

/** Files, their share links, and the edge cache. */
export const filesArea: ConsoleArea = {
  label: 'Files',
  icon: IconFiles,
  path: 'files',
  group: 'Content',
  pages: [],
}
