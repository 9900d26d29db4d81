/**
 * Escapes untrusted text for a terminal: control characters move the cursor and send commands (ECMA-48), and
 * format characters reorder or hide the text around them (UAX 9; CVE-2021-42574).
 */

const harmful = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}`

/** For text on one line. */
const harmfulInLine = new RegExp(`[${harmful}]`, 'gu')

/** For text of several lines, which may have tabs. A carriage return before a line feed is part of the line's end. */
const harmfulInLines = new RegExp(String.raw`(?!\n|\t|\r\n)[${harmful}]`, 'gu')

/** Within JSON: line feeds are white space between values there, never part of one. */
const harmfulInJson = new RegExp(String.raw`(?!\n|\t|\r)[${harmful}]`, 'gu')

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Each UTF-16 code unit, as JSON escapes it (RFC 8259, section 7). */
const escapedInJson = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** Text on one line, its control and format characters, line ends included, as `\u{…}`. */
export const escapeLine = (text: string): string => text.replace(harmfulInLine, escaped)

/** Text of several lines: the same, with line ends and tabs as they are. */
export const escapeLines = (text: string): string => text.replace(harmfulInLines, escaped)

/** Equivalent JSON without control and format characters: JSON.stringify leaves U+007F and above as they are. */
export const escapeJson = (json: string): string =>
  // The usual case, ten times as fast: every line of the log comes through here.
  /^[\x20-\x7e\n]*$/.test(json) ? json : json.replace(harmfulInJson, escapedInJson)

/** Writes lines to stderr, escaped for a terminal. */
export const writeStderr = (text: string): void => void process.stderr.write(escapeLines(text))

/** Keeps the process alive when the reader of stderr has exited: no stream remains to report that. */
export const ignoreStderrErrors = (): void => void process.stderr.on('error', () => undefined)
