import { expect, it, onTestFinished } from 'vitest'
import { startMailServer } from '../../server/test/mail-server.js'
import { emptyPlace, svcProcess } from './svc.js'

it('svc mail test sends an e-mail, and says without a server which setting is missing', async () => {
  await using place = await emptyPlace()
  const server = await startMailServer()
  onTestFinished(server.stop)
  const env = { SVC_SMTP_URL: `smtp://127.0.0.1:${String(server.port)}`, SVC_MAIL_FROM: 'Example <svc@example.com>' }
  expect(await svcProcess(['mail', 'test', 'Ada@example.org'], { ...place, env })).toEqual({
    code: 0,
    stdout: '',
    stderr: 'The mail server has taken the test e-mail to ada@example.org.\n',
  })
  expect(server.mails[0]).toMatchObject({ subject: 'svc can send e-mails', to: { text: 'ada@example.org' } })
  expect(await svcProcess(['mail', 'test', 'ada@example.org'], place)).toEqual({
    code: 2,
    stdout: '',
    stderr: 'svc: svc sends no e-mails: set SVC_SMTP_URL to the URL of a mail server, and SVC_MAIL_FROM.\n',
  })
})

it('svc mail test reports a server that is down, without the password', async () => {
  await using place = await emptyPlace()
  const server = await startMailServer()
  await server.stop()
  const env = { SVC_SMTP_URL: `smtp://ada:hunter2@127.0.0.1:${String(server.port)}`, SVC_MAIL_FROM: 'svc@example.com' }
  const { code, stderr } = await svcProcess(['mail', 'test', 'ada@example.org'], { ...place, env })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^svc: The mail server at 127\.0\.0\.1:\d+ took no message: .*ECONNREFUSED/)
  expect(stderr).not.toContain('hunter2')
})
