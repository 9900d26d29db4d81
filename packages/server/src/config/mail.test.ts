import { expect, it } from 'vitest'
import { refusal, set } from '../../test/read-settings.js'

const from = 'Example <svc@example.com>'
const mailOf = (url: string) => set({ SVC_SMTP_URL: url, SVC_MAIL_FROM: from }).mail

it.each([
  ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, tls: 'starttls', credentials: undefined }],
  ['smtp://mail.example.com:25/', { port: 25, tls: 'starttls' }],
  ['smtp://10.0.0.3:25?starttls=off', { host: '10.0.0.3', port: 25, tls: 'none' }],
  ['smtps://ada:p%40ss%25@[2001:db8::1]', { host: '2001:db8::1', port: 465, tls: 'implicit' }],
  ['smtps://ada:p%40ss%25@h', { credentials: { user: 'ada', password: 'p@ss%' } }],
  ['smtp://localhost:25', { host: 'localhost', tls: 'none' }],
  ['smtp://127.0.0.1:25', { tls: 'none' }],
  ['smtp://[::1]:25', { host: '::1', tls: 'none' }],
  ['smtp://127.0.0.1:25?starttls=required', { tls: 'starttls' }],
])('reads %s, and requires TLS outside of this machine', (url, expected) => {
  expect(mailOf(url)).toMatchObject(expected)
})

it.each([
  ['svc@example.com', { name: '', address: 'svc@example.com' }],
  ['Example <svc@example.com>', { name: 'Example', address: 'svc@example.com' }],
  ['"Example, Inc." <SVC@example.com>', { name: 'Example, Inc.', address: 'svc@example.com' }],
])('reads the sender %s', (text, expected) => {
  expect(set({ SVC_SMTP_URL: 'smtp://localhost', SVC_MAIL_FROM: text }).mail?.from).toEqual(expected)
})

it('sends no e-mails by default, and refuses one of the two settings without the other', () => {
  expect(set({}).mail).toBeUndefined()
  expect(refusal({ SVC_SMTP_URL: 'smtp://localhost' }).message).toBe(
    'SVC_SMTP_URL is set: set SVC_MAIL_FROM to the address that e-mails come from.',
  )
  expect(refusal({ SVC_MAIL_FROM: from }).message).toBe(
    'SVC_MAIL_FROM is set, but SVC_SMTP_URL is not: set it to the URL of a mail server.',
  )
})

it('lets users reset passwords only with a mail server', () => {
  const server = { SVC_SMTP_URL: 'smtp://localhost', SVC_MAIL_FROM: from }
  expect(set({ ...server, SVC_PASSWORD_RESET: 'on' }).passwordReset).toBe(true)
  expect(refusal({ SVC_PASSWORD_RESET: 'on' }).message).toBe(
    'SVC_PASSWORD_RESET is on, but svc sends no e-mails: set SVC_SMTP_URL and SVC_MAIL_FROM, or set it to off.',
  )
})

it('the error for a URL does not quote its password', () => {
  for (const url of ['smtp://u:hunter2@h/x', 'u:hunter2@h', 'smtp://u:hunter2%@h', 'smtps://u:hunter2@h?starttls=off'])
    expect(refusal({ SVC_SMTP_URL: url, SVC_MAIL_FROM: from }).message).not.toContain('hunter2')
})
