/** The ids of requests as the history stores them: their eight bytes as base64url, which takes 9 bytes less in each row. Pure. */

const requestId = /^req_[0-9a-f]{16}$/
const packed = /^[\w-]{11}$/

/** The stored form of `req_` and 16 hexadecimal characters. Another text is stored as it is. */
export const packRequestId = (id: string | null): string | null =>
  id !== null && requestId.test(id) ? Buffer.from(id.slice(4), 'hex').toString('base64url') : id

/** The id of a stored form. The first rows of the history have whole ids. */
export const unpackRequestId = (stored: string | null): string | null =>
  stored !== null && packed.test(stored) ? `req_${Buffer.from(stored, 'base64url').toString('hex')}` : stored
