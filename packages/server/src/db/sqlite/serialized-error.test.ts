import { describe, expect, it } from 'vitest'
import { ApiError } from '@svc/contract'
import { deserializeError, serializeError } from './serialized-error.js'

const transfer = (error: unknown) => deserializeError(structuredClone(serializeError(error)))

describe('an error that is transferred between threads', () => {
  it('keeps its name, message, code and stack, and those of its causes', () => {
    const cause = Object.assign(new Error('disk I/O error'), { name: 'SqliteError', code: 'SQLITE_IOERR_FSYNC' })
    const error = new TypeError('could not commit', { cause })
    const arrived = transfer(error)
    expect(arrived).toBeInstanceOf(Error)
    expect(arrived).toMatchObject({ name: 'TypeError', message: 'could not commit', stack: error.stack })
    expect(arrived).not.toHaveProperty('code')
    expect(arrived.cause).toMatchObject({ name: 'SqliteError', code: 'SQLITE_IOERR_FSYNC', stack: cause.stack })
  })

  it('an ApiError arrives as an ApiError', () => {
    const arrived = transfer(new ApiError('forbidden_zone', 'Not yours.', { zone: 'a.example' }, { 'x-a': 'b' }))
    expect(arrived).toBeInstanceOf(ApiError)
    expect(arrived).toMatchObject({ status: 403, extra: { zone: 'a.example' }, headers: { 'x-a': 'b' } })
  })

  it('an error arrives also if it cannot be cloned, is its own cause, or is not an Error', () => {
    const own = Object.assign(new Error('has a function'), { handle: () => undefined })
    expect(transfer(own)).toMatchObject({ message: 'has a function' })
    own.cause = own
    expect(transfer(own)).toMatchObject({ cause: { cause: { message: 'has a function' } } })
    expect(transfer('text')).toMatchObject({ message: 'text' })
  })
})
