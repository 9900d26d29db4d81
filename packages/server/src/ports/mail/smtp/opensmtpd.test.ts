import { expect, it, onTestFinished, vi } from 'vitest'
import { startOpenSmtpd } from '../../../../../../test/servers/index.js'
import { smtpAt } from '../../../../test/mail-server.js'
import { renderMail } from '../template.js'
import { SmtpMail } from './smtp-mail.js'

it.runIf(process.getuid?.() === 0)('OpenSMTPD delivers a message whole, and refuses another domain', async () => {
  const server = await startOpenSmtpd()
  onTestFinished(server.stop)
  const mail = new SmtpMail(smtpAt(server.port))
  onTestFinished(() => mail.close())
  const content = renderMail({ title: 'Grüße', paragraphs: ['A line.\n.\nAnother line.'] })
  await mail.send({ to: 'ada@example.org', ...content, id: 'one', date: Date.now() })
  await vi.waitUntil(() => server.delivered().length === 1, 30_000)
  expect(server.delivered()[0]).toMatch(/^Message-ID: <one@example\.com>$/m)
  expect(server.delivered()[0]).toMatch(/^Subject: =\?UTF-8\?/m)
  await expect(mail.send({ to: 'ada@other.example', ...content, id: 'two', date: 0 })).rejects.toMatchObject({
    isPermanent: true,
    message: expect.stringContaining('550 Invalid recipient'),
  })
})
