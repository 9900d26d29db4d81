/** Types that a browser shows without running anything of them. HTML, SVG and XML can contain scripts. */
const harmless = new Set([
  'application/json',
  'application/pdf',
  'image/apng',
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/vnd.microsoft.icon',
  'image/webp',
  'image/x-icon',
  'text/csv',
  'text/markdown',
  'text/plain',
])

/** Whether a browser shows a file of a share link, or only saves it. */
export function dispositionOf(mediaType: string): 'inline' | 'attachment' {
  const type = (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase()
  return harmless.has(type) || /^(?:audio|video)\//.test(type) ? 'inline' : 'attachment'
}

/** The media type for a browser, which reads text without a charset as Windows-1252. */
export const typeForBrowsers = (mediaType: string): string =>
  /^text\/(?!.*;\s*charset=)/i.test(mediaType) ? `${mediaType}; charset=utf-8` : mediaType
