import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { collectTypedKeys } from './typed-keys.js'

/** Keys that are typed before a field is ready. */

let target: EventTarget
beforeEach(() => {
  target = new EventTarget()
  vi.stubGlobal('addEventListener', target.addEventListener.bind(target))
  vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target))
})
afterEach(() => vi.unstubAllGlobals())

/** @returns whether the page gets the key too */
const press = (key: string, modifiers: object = {}) =>
  target.dispatchEvent(Object.assign(new Event('keydown', { cancelable: true }), { key, ...modifiers }))

it.each([
  ['the letters in their order', ['a', 'B', ' ', 'c'], { text: 'aB c', isEntered: false }],
  ['what Backspace leaves', ['a', 'b', 'Backspace', 'c'], { text: 'ac', isEntered: false }],
  ['Enter, and nothing after it', ['a', 'Enter', 'b', 'Backspace'], { text: 'a', isEntered: true }],
])('collects %s, and the page does not get the keys', (_, keys, typed) => {
  const take = collectTypedKeys()
  expect(keys.map((key) => press(key))).toEqual(keys.map(() => false))
  expect(take()).toEqual(typed)
  expect(press('x')).toBe(true)
})

it.each(['Escape', 'Tab'])('%s ends it, and the page gets this key and the next', (key) => {
  const take = collectTypedKeys()
  press('a')
  expect([press(key), press('b')]).toEqual([true, true])
  expect(take()).toEqual({ text: '', isEntered: false })
})

it('a press of the pointer ends it', () => {
  const take = collectTypedKeys()
  press('a')
  target.dispatchEvent(new Event('pointerdown'))
  expect(press('b')).toBe(true)
  expect(take().text).toBe('')
})

it('leaves shortcuts and other keys to the page', () => {
  const take = collectTypedKeys()
  expect([press('k', { ctrlKey: true }), press('F5'), press('Shift')]).toEqual([true, true, true])
  expect(take().text).toBe('')
})
