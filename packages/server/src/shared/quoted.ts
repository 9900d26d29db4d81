/** How many characters of the caller's input an error message repeats. */
const maxLength = 60

/** Format characters, line and paragraph separators: they could make a message look like another one. */
const invisible = /[\p{Cf}\p{Zl}\p{Zp}]/gu

/** The caller's input in double quotes, shortened, on one line and with escapes for invisible characters, for an error message. */
export const quoted = (given: string): string =>
  JSON.stringify(shortened(given)).replace(invisible, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )

/** The same without quotes, for the name of a field or a JSON text. */
export const shortened = (given: string): string => (given.length > maxLength ? `${given.slice(0, maxLength)}…` : given)
