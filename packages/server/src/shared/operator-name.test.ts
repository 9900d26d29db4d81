import { userInfo } from 'node:os'
import { expect, it } from 'vitest'
import { operatorName } from './operator-name.js'

const unknownUser = () => {
  throw Object.assign(new Error('no such user'), { code: 'ERR_SYSTEM_ERROR' })
}

it('is the user of the operating system, or the one who has called sudo', () => {
  expect(operatorName({})).toBe(userInfo().username)
  expect(operatorName({ SUDO_USER: '' })).toBe(userInfo().username)
  expect(operatorName({ SUDO_USER: 'ada' })).toBe('ada')
})

it('is the number of a user without a name', () => {
  expect(operatorName({}, unknownUser)).toBe(String(process.getuid?.()))
  const broken = () => {
    throw new Error('broken')
  }
  expect(() => operatorName({}, broken)).toThrow('broken')
})
