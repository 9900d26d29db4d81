import { useLocalStorage } from '@mantine/hooks'

export type FileView = 'table' | 'grid'

/** How this browser lists files. */
export const useFileView = () =>
  useLocalStorage<FileView>({ key: 'svc-files-view', defaultValue: 'table', getInitialValueInEffect: false })
