import { fileKindOf, type FileKind } from '@svc/contract'

/** The names of common media types. */
const names: Readonly<Record<string, string>> = {
  'application/gzip': 'gzip archive',
  'application/json': 'JSON',
  'application/msword': 'Word document',
  'application/pdf': 'PDF',
  'application/vnd.ms-excel': 'Excel sheet',
  'application/vnd.ms-powerpoint': 'PowerPoint slides',
  'application/vnd.oasis.opendocument.presentation': 'OpenDocument slides',
  'application/vnd.oasis.opendocument.spreadsheet': 'OpenDocument sheet',
  'application/vnd.oasis.opendocument.text': 'OpenDocument text',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'PowerPoint slides',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'Excel sheet',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word document',
  'audio/mpeg': 'MP3 sound',
  'image/svg+xml': 'SVG image',
  'text/calendar': 'Calendar',
  'text/css': 'Style sheet',
  'text/csv': 'CSV table',
  'text/html': 'Web page',
  'text/markdown': 'Markdown',
  'text/plain': 'Text',
  'video/quicktime': 'QuickTime video',
}

const nouns: Readonly<Partial<Record<FileKind, string>>> = {
  image: 'image',
  sound: 'sound',
  video: 'video',
  archive: 'archive',
}

/** Longer ones are not abbreviations that people know. In characters. */
const abbreviationMax = 5

/** What a file is, in words: `PDF`, `PNG image`; by its extension if its media type says nothing. */
export function fileType({ name, media_type }: { readonly name: string; readonly media_type: string }): string {
  const mediaType = (media_type.split(';', 1)[0] ?? '').toLowerCase()
  const known = names[mediaType]
  if (known !== undefined) return known
  const kind = fileKindOf(mediaType)
  const noun = nouns[kind]
  if (noun === undefined) return kind === 'text' ? 'Text' : withAbbreviation(/\.([a-z0-9]+)$/i.exec(name)?.[1], 'file')
  return withAbbreviation(/\/(?:x-|vnd\.)?([a-z0-9]+)/.exec(mediaType)?.[1], noun)
}

function withAbbreviation(text: string | undefined, noun: string): string {
  const isKnown = text !== undefined && text.length <= abbreviationMax
  return isKnown ? `${text.toUpperCase()} ${noun}` : noun.charAt(0).toUpperCase() + noun.slice(1)
}
