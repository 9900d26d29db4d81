/** Amounts of money and rates, as numbers to read and as numbers to copy. */

/** Significant digits of a rate: those of the banks. */
const rateDigits = 6

const amountFormat = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const smallFormat = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 4 })
const rateFormat = new Intl.NumberFormat(undefined, { maximumSignificantDigits: rateDigits })

/** `1,234.50`; a small amount with its first four digits. */
export const formatAmount = (amount: number): string =>
  amount !== 0 && Math.abs(amount) < 0.1 ? smallFormat.format(amount) : amountFormat.format(amount)

export const formatRate = (rate: number): string => rateFormat.format(rate)

/** The amount in another currency, without the errors of binary fractions. 0 if the amount is not a number. */
export const converted = (amount: number, rate: number): number =>
  Number.isFinite(amount) ? Number((amount * rate).toPrecision(12)) : 0
