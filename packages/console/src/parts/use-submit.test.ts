import { expect, it } from 'vitest'
import { isSame } from './use-submit.js'

/** The message at a field disappears when the field changes. */

const file = new File(['a'], 'a.zip')

it.each([
  [{ name: 'a' }, { name: 'a' }, 'name', true],
  [{ name: 'a' }, { name: 'b' }, 'name', false],
  [{ name: 'a', ttl: 1 }, { name: 'a', ttl: 2 }, 'name', true],
  [{ scopes: ['a', 'b'] }, { scopes: ['a', 'b'] }, 'scopes', true],
  [{ scopes: ['a', 'b'] }, { scopes: ['a'] }, 'scopes', false],
  [{ files: [file] }, { files: [file] }, 'files', true],
  [{ files: [file] }, { files: [new File(['b'], 'a.zip')] }, 'files', false],
  [{ shortlink: { max_uses: 1 } }, { shortlink: { max_uses: 1 } }, 'shortlink.max_uses', true],
  [{ shortlink: { max_uses: 1 } }, { shortlink: { max_uses: null } }, 'shortlink.max_uses', false],
  [{ shortlink: { max_uses: 1 } }, {}, 'shortlink.max_uses', false],
  [undefined, { name: 'a' }, 'name', false],
])('%j and %j have the same %s: %s', (sent, now, field, same) => {
  expect(isSame(sent, now, field)).toBe(same)
})
