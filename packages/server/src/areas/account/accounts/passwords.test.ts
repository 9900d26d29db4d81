import { ApiError } from '@svc/contract'
import { describe, expect, it } from 'vitest'
import { checkPassword, hashPassword, isPassword } from './passwords.js'

describe('passwords', () => {
  it('passwords are stored as argon2id with a salt, at least as costly as OWASP recommends', async () => {
    const [one, other] = [await hashPassword('correct horse'), await hashPassword('correct horse')]
    expect(one).not.toBe(other)
    expect(one).not.toContain('correct')
    const [, memory, passes] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$/.exec(one) ?? []
    expect(Number(memory)).toBeGreaterThanOrEqual(19_456)
    expect(Number(passes)).toBeGreaterThanOrEqual(2)
  })

  it.each([
    ['as it was set', 'pass Wörd 🔑', true],
    ['in another case', 'pass wörd 🔑', false],
    ['with an additional space', 'pass Wörd 🔑 ', false],
    ['cut short', 'pass Wörd', false],
    ['empty', '', false],
  ])('the password %s, %j, is right: %s', async (_name, given, right) => {
    expect(await isPassword(await hashPassword('pass Wörd 🔑'), given)).toBe(right)
  })

  it("passwords are always wrong without an account, even the decoy's password", async () => {
    for (const given of ['', 'anything', 'the password of no account'])
      expect(await isPassword(undefined, given)).toBe(false)
  })

  it.each(['12345678', 'x'.repeat(1024), '🔑'.repeat(8)])(
    'passwords are accepted with 8 to 1024 characters',
    (given) => {
      expect(() => {
        checkPassword(given)
      }).not.toThrow()
    },
  )

  it.each([
    ['', 0],
    ['1234567', 7],
    ['🔑'.repeat(7), 7],
    ['x'.repeat(1025), 1025],
  ])('400 bad_request for passwords with fewer or more characters', (given, length) => {
    expect(() => {
      checkPassword(given)
    }).toThrow(new ApiError('bad_request', `password must have 8 to 1024 characters, not ${String(length)}.`))
  })
})
