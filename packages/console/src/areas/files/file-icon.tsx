import {
  IconFile,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
  IconMovie,
  IconMusic,
  IconPhoto,
} from '@tabler/icons-react'
import { fileKindOf, type FileKind } from '@svc/contract'
import type { TablerIcon } from '@tabler/icons-react'

const icons: Readonly<Record<FileKind, TablerIcon>> = {
  image: IconPhoto,
  text: IconFileText,
  pdf: IconFileTypePdf,
  sound: IconMusic,
  video: IconMovie,
  archive: IconFileZip,
  other: IconFile,
}

/** The kind of a file as a picture. Its name is in the text beside it. */
export function FileIcon({ mediaType, size = 18 }: { readonly mediaType: string; readonly size?: number }) {
  const Icon = icons[fileKindOf(mediaType)]
  return <Icon size={size} stroke={1.5} aria-hidden style={{ flex: 'none' }} color="var(--mantine-color-dimmed)" />
}
