import { InvalidSetting } from './setting.js'

/** Parses a whole number with at most this many digits. */
const cap =
  (digits: number) =>
  (text: string): number => {
    if (/^\d+$/.test(text) && text.length <= digits) return Number(text)
    throw new InvalidSetting(`must be a whole number, 0 to ${'9'.repeat(digits)}`)
  }

/** The most bytes; 0 for no limit. */
export const byteCap = cap(15)

/** The most open uploads of an account; 0 for no limit. */
export const uploadCap = cap(7)

/** The most files of an account; 0 for no limit. */
export const fileCap = cap(9)
