import { withoutInvisible } from '@svc/contract'

const unnamed = 'download'

/**
 * The name to save a download as, from its Content-Disposition (RFC 6266): `filename*`, otherwise `filename`. It is safe as
 * the name of a file in any folder: a base name without control characters, not hidden.
 */
export function fileNameOf(contentDisposition: string | null): string {
  const header = contentDisposition ?? ''
  return safeName(extendedName(header) ?? plainName(header))
}

/** RFC 8187, section 3.2; undefined without a valid one. */
function extendedName(header: string): string | undefined {
  const encoded = /;\s*filename\*=UTF-8'[^';]*'([^\s;]+)/i.exec(header)?.[1]
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

function plainName(header: string): string {
  const [, quoted, token] = /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/i.exec(header) ?? []
  return quoted?.replace(/\\(.)/g, '$1') ?? token ?? ''
}

function safeName(name: string): string {
  const base = name.split(/[/\\]/).at(-1) ?? ''
  // Leading dots would hide the file, or name a folder.
  const visible = withoutInvisible(base)
    .replace(/[\ufffd\p{Cs}]/gu, '_')
    .replace(/^\.+/, '_')
  return visible === '' ? unnamed : visible
}
