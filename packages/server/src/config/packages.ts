import { wholeNumber } from './parsers.js'

/** The most packages of an account: a list has no pages. */
export const packageCap = wholeNumber(1, 10_000)

/** The most versions of a package: they are sorted for each answer. */
export const versionCap = wholeNumber(1, 5_000)
