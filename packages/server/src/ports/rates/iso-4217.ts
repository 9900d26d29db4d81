/**
 * Codes of ISO 4217 (list one) that Intl leaves out, since nobody pays with them: units of account, funds, precious
 * metals, the code for tests and the one for no currency.
 */
const notTender = 'BOV CHE CHW CLF COU MXV USN UYI UYW XAD XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(
  ' ',
)

const codes: ReadonlySet<string> = new Set([...Intl.supportedValuesOf('currency'), ...notTender])

/** Whether a code, in upper case, is one of ISO 4217. */
export const isCurrency = (code: string): boolean => codes.has(code)
