import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { refusal, set } from '../../test/read-settings.js'

const folder = tmpdir()
const complete = { SVC_TLS_PORT: '443', SVC_TLS_CERT: folder, SVC_PUBLIC_URL: 'https://api.example.com' }

it('ends no TLS without SVC_TLS_PORT', () => {
  expect(set({}).tls).toBeUndefined()
  expect(set({ SVC_PUBLIC_URL: 'https://api.example.com' }).tls).toBeUndefined()
})

it('redirects from port 80, and looks for the keys beside the certificates, by default', () => {
  expect(set(complete).tls).toEqual({
    port: 443,
    publicUrl: 'https://api.example.com',
    redirectPort: 80,
    files: { certificates: folder, keys: folder },
  })
})

it('has no redirects with the port 0, and another place for the keys with SVC_TLS_KEY', () => {
  const { tls } = set({ ...complete, SVC_HTTP_PORT: '0', SVC_TLS_KEY: '/' })
  expect(tls).toMatchObject({ redirectPort: undefined, files: { certificates: folder, keys: '/' } })
})

it('ends TLS on port 443 if it orders certificates, and needs no files', () => {
  const publicUrl = 'https://api.example.com'
  const tls = { port: 443, publicUrl, redirectPort: 80, files: undefined }
  expect(set({ SVC_ACME: 'on', SVC_PUBLIC_URL: publicUrl }).tls).toEqual(tls)
  expect(set({ SVC_ACME: 'on', SVC_PUBLIC_URL: publicUrl, SVC_TLS_PORT: '8443' }).tls).toEqual({ ...tls, port: 8443 })
})

it.each([
  [{ SVC_TLS_CERT: folder }, /^SVC_TLS_CERT is set, but SVC_TLS_PORT is not: set it to the port for HTTPS/],
  [{ SVC_TLS_KEY: folder }, /^SVC_TLS_KEY is set, but SVC_TLS_PORT is not/],
  [{ SVC_HTTP_PORT: '80' }, /^SVC_HTTP_PORT is set, but SVC_TLS_PORT is not/],
  [
    { ...complete, SVC_TLS_CERT: '' },
    /^SVC_TLS_PORT is set, but SVC_TLS_CERT is not: set it to a certificate, or SVC_ACME to on to order one\.$/,
  ],
  [{ ...complete, SVC_PUBLIC_URL: '' }, /set SVC_PUBLIC_URL, such as https:\/\/api\.example\.com\.$/],
  [{ ...complete, SVC_PUBLIC_URL: 'http://api.example.com' }, /need a public URL with https/],
])('refuses %j, and says what to set', (env, message) => {
  expect(refusal(env)).toMatchObject({ message: expect.stringMatching(message), exitCode: 2 })
})
