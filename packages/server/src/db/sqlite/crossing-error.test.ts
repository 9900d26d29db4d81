import { describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract'
import { decodeError, encodeError } from './crossing-error.js'

const crossed = (error: unknown) => decodeError(structuredClone(encodeError(error)))

describe('an error that crosses threads', () => {
  it('keeps name, message, code and stack, and those of its causes', () => {
    const cause = Object.assign(new Error('disk I/O error'), { name: 'SqliteError', code: 'SQLITE_IOERR_FSYNC' })
    const error = new TypeError('could not commit', { cause })
    const arrived = crossed(error)
    expect(arrived).toBeInstanceOf(Error)
    expect(arrived).toMatchObject({ name: 'TypeError', message: 'could not commit', stack: error.stack })
    expect(arrived).not.toHaveProperty('code')
    expect(arrived.cause).toMatchObject({ name: 'SqliteError', code: 'SQLITE_IOERR_FSYNC', stack: cause.stack })
  })

  it('arrives as an ApiError if it was one', () => {
    const arrived = crossed(new ApiError('forbidden_zone', 'Not yours.', { zone: 'a.example' }, { 'x-a': 'b' }))
    expect(arrived).toBeInstanceOf(ApiError)
    expect(arrived).toMatchObject({ status: 403, extra: { zone: 'a.example' }, headers: { 'x-a': 'b' } })
  })

  it('arrives, too, when it cannot be cloned, causes itself, or is no error', () => {
    const own = Object.assign(new Error('has a function'), { handle: () => undefined })
    expect(crossed(own)).toMatchObject({ message: 'has a function' })
    own.cause = own
    expect(crossed(own)).toMatchObject({ cause: { cause: { message: 'has a function' } } })
    expect(crossed('text')).toMatchObject({ message: 'text' })
  })
})
