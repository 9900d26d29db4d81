/**
 * Codes of ISO 4217 (list one) that Intl omits because they are not tender: units of account, funds, precious metals, the
 * code for tests and the code for no currency.
 */
const notTender = 'BOV CHE CHW CLF COU MXV USN UYI UYW XAD XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(
  ' ',
)

const codes: ReadonlySet<string> = new Set([...Intl.supportedValuesOf('currency'), ...notTender])

/** @param code in upper case */
export const isCurrency = (code: string): boolean => codes.has(code)
