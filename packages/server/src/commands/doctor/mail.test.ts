import { expect, it, onTestFinished } from 'vitest'
import { findingsOf } from '../../../test/findings.js'
import { hello, honest, startFaultyMailServer, startMailServer } from '../../../test/mail-server.js'
import { mailCheck } from './mail.js'

const findingsAt = (port: number, user = '') =>
  findingsOf(mailCheck, { SVC_SMTP_URL: `smtp://${user}127.0.0.1:${String(port)}`, SVC_MAIL_FROM: 'svc@example.com' })

it('says that svc sends no e-mails without a mail server', async () => {
  expect(await findingsOf(mailCheck)).toEqual(['ok SVC_SMTP_URL is not set, so svc sends no e-mails.'])
})

it('says that the mail server answers, and sends nothing', async () => {
  const server = await startMailServer()
  onTestFinished(server.stop)
  expect(await findingsAt(server.port)).toEqual([
    `ok The mail server at 127.0.0.1:${String(server.port)} answers. E-mails come from svc@example.com.`,
  ])
  expect(server.mails).toEqual([])
})

it('reports a refused sign-in without the password', async () => {
  const server = await startFaultyMailServer(hello, (line) => {
    if (line.startsWith('EHLO')) return '250-mail.test\r\n250 AUTH PLAIN'
    return line.startsWith('AUTH') ? `535 no such user ${line}` : honest(line)
  })
  onTestFinished(server.stop)
  const [finding = ''] = await findingsAt(server.port, 'ada:hunter2@')
  expect(finding).toMatch(/^error The mail server at 127\.0\.0\.1:\d+ answered "535 no such user AUTH PLAIN \*\*\*" to/)
  expect(finding).not.toContain('hunter2')
})
