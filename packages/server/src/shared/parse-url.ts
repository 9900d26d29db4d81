/**
 * Parses a URL. Not with `URL.canParse`: once V8 has optimized a caller, that of Node.js 20 refuses URLs with letters such as ü.
 * @returns undefined for a text that is not a URL
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    // The constructor throws only for a text that is not a URL.
    return undefined
  }
}
