import { IconFiles } from '@tabler/icons-react'
import type { ConsoleArea } from '../../parts/area.js'

/** Files, their share links, and the edge cache. */
export const filesArea: ConsoleArea = {
  label: 'Files',
  icon: IconFiles,
  path: 'files',
  group: 'Content',
  key: 'f',
  pages: [
    { index: true, lazy: async () => ({ Component: (await import('./files-page.js')).FilesPage }) },
    { path: 'cdn', lazy: async () => ({ Component: (await import('./cdn-page.js')).CdnPage }) },
    { path: ':id', lazy: async () => ({ Component: (await import('./file-page.js')).FilePage }) },
  ],
  commands: [
    { label: 'Upload files', path: 'files', words: 'new add' },
    { label: 'Edge cache (CDN): requests and hit rate of shared files', path: 'files/cdn' },
  ],
  finds: { file: ([id = '']) => `files/${id}` },
}
