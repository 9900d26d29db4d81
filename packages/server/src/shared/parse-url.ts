/** Parses a URL. @returns undefined for a text that is not a URL */
export const parseUrl = (text: string, base?: string): URL | undefined => URL.parse(text, base) ?? undefined
