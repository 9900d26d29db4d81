/** How many characters of the caller's input an error message repeats. */
const maxLength = 60

/** The caller's input in double quotes, shortened and on one line, for an error message. */
export const quoted = (given: string): string => JSON.stringify(shortened(given))

/** The same without quotes, for the name of a field or a JSON text. */
export const shortened = (given: string): string => (given.length > maxLength ? `${given.slice(0, maxLength)}…` : given)
