import { toASCII, toUnicode } from 'punycode/punycode.es6.js'

/** Letters, marks, digits and hyphens: nothing that is invisible, or that changes the text around it. */
const visible = /^[\p{L}\p{M}\p{N}-]+$/u

/**
 * A name with its `xn--` labels as their letters (RFC 3492), for display beside the name itself: different letters may look alike, so the
 * decoded form alone identifies nothing.
 * @param text one name, or several words such as the value of a record
 * @returns undefined if nothing is encoded in it
 */
export function decodedName(text: string): string | undefined {
  if (!text.toLowerCase().includes('xn--')) return undefined
  const decoded = text.split(' ').map(decodedWord).join(' ')
  return decoded === text ? undefined : decoded
}

const decodedWord = (name: string): string => name.split('.').map(decodedLabel).join('.')

/** @returns the label itself unless it is the encoded form of letters */
function decodedLabel(label: string): string {
  const ascii = label.toLowerCase()
  if (!ascii.startsWith('xn--')) return label
  try {
    const letters = toUnicode(ascii)
    return visible.test(letters) && letters.normalize('NFC') === letters && toASCII(letters) === ascii ? letters : label
  } catch (error) {
    if (error instanceof RangeError) return label
    throw error
  }
}
