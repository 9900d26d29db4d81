import { randomFillSync } from 'node:crypto'

const bytesPerId = 8
const pool = Buffer.alloc(bytesPerId * 512)
let hex = ''
let next = 0

/**
 * `req_` and 16 lower-case hexadecimal characters (specification, section 2.1). The random bytes come from a pool: a system
 * call at each request would cost a quarter of the throughput.
 */
export function newRequestId(): string {
  if (next === hex.length) {
    hex = randomFillSync(pool).toString('hex')
    next = 0
  }
  const start = next
  next += bytesPerId * 2
  return `req_${hex.slice(start, next)}`
}
