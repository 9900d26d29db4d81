import { afterEach, expect, it, onTestFinished } from 'vitest'
import { smtpAt, startMailServer, type MailServer } from '../../../../test/mail-server.js'
import { testAuthority } from '../../../../test/test-authority.js'
import type { MailMessage } from '../port.js'
import { selectMail } from '../select.js'
import type { SmtpConfig } from '../smtp-config.js'
import { SmtpMail } from './smtp-mail.js'

/** What the adapter promises, against a real SMTP server. */

const message = (others: Partial<MailMessage> = {}): MailMessage => ({
  to: 'ada@example.org',
  subject: 'A form was sent',
  text: 'Plain text.\n',
  html: '<p>Text</p>',
  id: 'submission.1.abc',
  date: Date.UTC(2026, 10, 27, 12),
  ...others,
})

const opened: SmtpMail[] = []
afterEach(async () => {
  for (const mail of opened.splice(0)) await mail.close()
})

function mailAt(config: SmtpConfig, ca?: string): SmtpMail {
  const mail = new SmtpMail(config, { ca })
  opened.push(mail)
  return mail
}

async function serverWith(options?: Parameters<typeof startMailServer>[0]): Promise<MailServer> {
  const server = await startMailServer(options)
  onTestFinished(server.stop)
  return server
}

it('sends plain text and HTML with its Message-ID, its date, and the headers of an automatic message', async () => {
  const server = await serverWith()
  await mailAt(smtpAt(server.port)).send(message({ text: 'Grüße\n.\nend', html: '<p>Grüße</p>' }))
  const [mail] = server.mails
  expect(mail?.from?.text).toBe('"Example" <svc@example.com>')
  expect(mail).toMatchObject({ subject: 'A form was sent', messageId: '<submission.1.abc@example.com>' })
  expect(mail?.date?.toISOString()).toBe('2026-11-27T12:00:00.000Z')
  expect(mail?.text).toContain('Grüße\n.\nend')
  expect(mail?.html).toContain('<p>Grüße</p>')
  expect(server.sources[0]).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  expect(server.sources[0]).not.toMatch(/^List-Unsubscribe/m)
})

it('offers one-click unsubscription by both headers of RFC 8058', async () => {
  const server = await serverWith()
  const url = `https://content.example.com/unsubscribe/${'x'.repeat(120)}`
  await mailAt(smtpAt(server.port)).send(message({ unsubscribeUrl: url }))
  expect(server.mails[0]?.headers.get('list')).toMatchObject({ unsubscribe: { url } })
  expect(server.sources[0]).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
})

it.each([
  ['subject', { subject: 'A\r\nBcc: eve@example.net' }],
  ['subject', { subject: 'A\u2028B' }],
  ['recipient', { to: 'ada@example.org>\r\nRCPT TO:<eve@example.net' }],
  ['recipient', { to: 'ada@example.org, eve@example.net' }],
  ['recipient', { to: 'Ada <ada@example.org>' }],
  ['id', { id: 'a\r\nBcc: eve@example.net' }],
  ['link', { unsubscribeUrl: 'https://h/>\r\nBcc: eve@example.net' }],
])('refuses a %s that would add a header or a recipient, for ever: %j', async (_, others) => {
  const server = await serverWith()
  await expect(mailAt(smtpAt(server.port)).send(message(others))).rejects.toMatchObject({
    name: 'MailError',
    isPermanent: true,
  })
  expect(server.connections()).toBe(0)
})

it('uses one connection for messages that follow one another, and four for many at a time', async () => {
  const server = await serverWith()
  const mail = mailAt(smtpAt(server.port))
  for (const id of ['a', 'b', 'c']) await mail.send(message({ id }))
  expect(server.connections()).toBe(1)
  await Promise.all(Array.from({ length: 40 }, (_, i) => mail.send(message({ id: `m${String(i)}` }))))
  expect(server.mails).toHaveLength(43)
  expect(server.connections()).toBeLessThanOrEqual(4)
})

it('refuses what comes after it is closed, as an error that passes', async () => {
  const server = await serverWith()
  const mail = mailAt(smtpAt(server.port))
  await mail.send(message())
  await mail.close()
  await expect(mail.send(message())).rejects.toMatchObject({ isPermanent: false })
})

it('opens nothing without a mail server', async () => {
  expect(await selectMail(undefined)).toBeUndefined()
})

const password = 'hunter2 with ünicode'
const credentials = { user: 'ada@example.com', password }

/** A server with a certificate for `localhost`, which only wants signed-in clients. */
async function serverWithTls(options: Parameters<typeof startMailServer>[0] = {}) {
  const authority = testAuthority()
  onTestFinished(authority.remove)
  const { chain, key } = authority.issue(['localhost'])
  const server = await serverWith({
    disabledCommands: [],
    key,
    cert: chain,
    authOptional: false,
    onAuth: (auth, _session, done) => {
      if (auth.username === credentials.user && auth.password === password) done(null, { user: 1 })
      else done(new Error(`Wrong password ${String(auth.password)}`))
    },
    ...options,
  })
  const at = (others: Partial<SmtpConfig> = {}) =>
    smtpAt(server.port, { host: 'localhost', tls: 'starttls', credentials, ...others })
  return { server, ca: authority.ca, at }
}

it('changes to TLS before the sign-in', async () => {
  const { server, ca, at } = await serverWithTls()
  const mail = mailAt(at(), ca)
  await mail.check()
  await mail.send(message())
  expect(server.mails).toHaveLength(1)
})

it('speaks TLS from the start', async () => {
  const { server, ca, at } = await serverWithTls({ secure: true })
  await mailAt(at({ tls: 'implicit' }), ca).send(message())
  expect(server.mails).toHaveLength(1)
})

it.each([
  ['a certificate of an unknown authority', {}, false, {}],
  ['a certificate for another name', {}, true, { host: '127.0.0.1' }],
  ['no STARTTLS', { disabledCommands: ['STARTTLS' as const] }, true, {}],
])('sends neither a password nor a message to a server with %s', async (_, options, isTrusted, others) => {
  const { server, ca, at } = await serverWithTls(options)
  await expect(mailAt(at(others), isTrusted ? ca : undefined).send(message())).rejects.toMatchObject({
    isPermanent: false,
  })
  expect(server.mails).toHaveLength(0)
})

it('a refused sign-in passes, and its error has no password, even if the server repeats it', async () => {
  const { ca, at } = await serverWithTls()
  const wrong = { user: credentials.user, password: 'hunter3' }
  const error: unknown = await mailAt(at({ credentials: wrong }), ca)
    .check()
    .catch((failure: unknown) => failure)
  expect(error).toMatchObject({ isPermanent: false, message: expect.stringMatching(/answered "535 .*to the sign-in/) })
  expect(String(error)).not.toContain('hunter3')
})
