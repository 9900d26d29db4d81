/** What the test gives to a program, and what it gets back. */

export const url = process.env['SVC_URL'] ?? ''
export const token = process.env['SVC_TOKEN'] ?? ''

/** `hello` in base64. */
export const bytes = 'aGVsbG8='

/** A site with one page, as a zip in base64. */
export const zip = process.env['SITE_ZIP'] ?? ''

export const report = (result: object): void => console.log(JSON.stringify(result))
