import { expect, it, onTestFinished } from 'vitest'
import { findingsOf } from '../../../test/findings.js'
import { databaseKinds } from '../../../test/app.js'
import { runSql } from '../../../test/site.js'
import { twoProcesses } from '../../../test/two-processes.js'
import { hello, honest, startFaultyMailServer, startMailServer } from '../../../test/mail-server.js'
import type { InspectedDatabase } from '../../db/inspected.js'
import { queuedMail, queueMailAlone } from '../../ports/mail/outbox/queue-store.js'
import { openForDoctor } from './database.js'
import { mailCheck } from './mail.js'

const noDatabase = 'warning Not checked, because the database cannot be used.'

const findingsAt = (port: number, user = '', database?: InspectedDatabase) =>
  findingsOf(
    mailCheck,
    { SVC_SMTP_URL: `smtp://${user}127.0.0.1:${String(port)}`, SVC_MAIL_FROM: 'svc@example.com' },
    database,
  )

it('says that svc sends no e-mails without a mail server', async () => {
  expect(await findingsOf(mailCheck)).toEqual(['ok SVC_SMTP_URL is not set, so svc sends no e-mails.'])
})

it('says that the mail server answers, and sends nothing', async () => {
  const server = await startMailServer()
  onTestFinished(server.stop)
  expect(await findingsAt(server.port)).toEqual([
    `ok The mail server at 127.0.0.1:${String(server.port)} answers. E-mails come from svc@example.com.`,
    noDatabase,
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

it.each(databaseKinds)('lists the e-mails that have waited for a day on %s', async (kind) => {
  const site = await twoProcesses(kind)
  onTestFinished(site.stop)
  const server = await startMailServer()
  onTestFinished(server.stop)
  const opened = await openForDoctor(site.config)
  if (opened.kind !== 'open') throw new Error(opened.kind)
  onTestFinished(() => opened.database.close())
  const [ada] = site.people
  const content = { title: 'T', paragraphs: [] }
  await queueMailAlone(site.db, queuedMail({ accountId: ada!.id, kind: 'new-browser', topic: '', content }))
  expect(await findingsAt(server.port, '', opened.database)).toHaveLength(1)
  await runSql(site.config, 'update mail_message set created_at = 1')
  expect((await findingsAt(server.port, '', opened.database))[1]).toBe(
    'warning E-mails have waited for more than a day.',
  )
})
