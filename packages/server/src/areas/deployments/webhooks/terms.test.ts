import { expect, it } from 'vitest'
import { checkWebhookTerms } from './terms.js'

const before = { target: 'https://example.com/', settings: '{}', secret: 'whsec_x', expiresAt: null, maxUses: null }
const secret = expect.stringMatching(/^whsec_/) as unknown

it('a new webhook has a secret, and no target by default', () => {
  expect(checkWebhookTerms({})).toEqual({ ...before, target: null, secret })
  expect(checkWebhookTerms({ target: 'HTTPS://Example.com/a b' })).toMatchObject({
    target: 'https://example.com/a%20b',
  })
})

it('a change keeps the secret, and what is not given', () => {
  expect(checkWebhookTerms({}, before)).toEqual(before)
  expect(checkWebhookTerms({ target: null }, before)).toEqual({ ...before, target: null })
})

it.each([
  [{ target: '' }, 'target must be an http or https URL, such as https://example.com/hook.'],
  [{ target: 'ftp://example.com/' }, 'target must be an http or https URL, such as https://example.com/hook.'],
  [{ target: 'https://ada:x@example.com/' }, 'target must not contain a user or a password.'],
  [{ target: 'https://example.com:25/' }, 'target must not use port 25; use 80, 443 or one from 1024.'],
  [{ target: `https://example.com/${'a'.repeat(2029)}` }, 'target must have at most 2048 characters, not 2049.'],
  [{ form: {} }, 'form is not for webhooks.'],
  [{ shortlink: {} }, 'shortlink is not for webhooks.'],
])('%j is refused', (given, message) => {
  expect(() => checkWebhookTerms(given)).toThrow(message)
})
