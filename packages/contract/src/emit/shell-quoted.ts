/** A word for POSIX shells, in quotes if necessary (POSIX.1-2017, Shell Command Language, section 2.2.2). */
export const shellQuoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
