import { wholeNumber } from './parsers.js'

/** The most sites of an account; 0 for no limit. */
export const siteCap = wholeNumber(0, 1_000_000)

/** The most files of one site. A deploy holds a few hundred bytes of memory for each. */
export const siteFileCap = wholeNumber(1, 100_000)
