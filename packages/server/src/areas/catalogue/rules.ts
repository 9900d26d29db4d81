/**
 * Whether who asks for GET /v1 is a browser, to be sent to the reference page: its Accept header names HTML and not
 * JSON. Anything else, curl's "*" included, gets the catalogue.
 */
export const prefersPage = (accept: string | undefined): boolean =>
  accept !== undefined && accept.includes('text/html') && !accept.includes('application/json')
