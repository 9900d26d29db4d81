/**
 * Escapes untrusted text for a terminal: control characters move the cursor and send commands (ECMA-48), and
 * format characters reorder or hide the text around them (UAX 9; CVE-2021-42574).
 */

const harmful = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}`

/** In text of one line. */
const harmfulInLine = new RegExp(`[${harmful}]`, 'gu')

/** In text of several lines: all except tabs and line ends (LF, CRLF). */
const harmfulInLines = new RegExp(String.raw`(?!\n|\t|\r\n)[${harmful}]`, 'gu')

/** In JSON: line feeds are white space between values, never part of a value. */
const harmfulInJson = new RegExp(String.raw`(?!\n|\t|\r)[${harmful}]`, 'gu')

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Escapes each UTF-16 code unit in the form of JSON (RFC 8259, section 7). */
const escapedInJson = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** Escapes control and format characters, line ends included, as `\u{…}`. */
export const escapeLine = (text: string): string =>
  // Most cells of long tables, ten times as fast.
  /^[\x20-\x7e]*$/.test(text) ? text : text.replace(harmfulInLine, escaped)

/** Escapes control and format characters, except line ends and tabs, as `\u{…}`. */
export const escapeLines = (text: string): string => text.replace(harmfulInLines, escaped)

/** Equivalent JSON without control and format characters: JSON.stringify does not escape U+007F and above. */
export const escapeJson = (json: string): string =>
  // The usual case, ten times as fast: every line of the log is escaped.
  /^[\x20-\x7e\n]*$/.test(json) ? json : json.replace(harmfulInJson, escapedInJson)

/** Writes lines to stderr, escaped for a terminal. */
export const writeStderr = (text: string): void => void process.stderr.write(escapeLines(text))

/** Keeps the process alive when the reader of stderr has exited: no stream remains to report that. */
export const ignoreStderrErrors = (): void => void process.stderr.on('error', () => undefined)
