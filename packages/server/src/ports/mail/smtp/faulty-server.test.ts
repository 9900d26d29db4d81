import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hello, honest, smtpAt, startFaultyMailServer } from '../../../../test/mail-server.js'
import type { MailError } from '../port.js'
import { SmtpMail } from './smtp-mail.js'

/** Mail servers that are down, slow, or lie: each call ends in time, and says whether another attempt makes sense. */

const deadlines = { connectMs: 300, greetingMs: 300, silenceMs: 300, totalMs: 1_000 }

type Answer = Parameters<typeof startFaultyMailServer>[1]

const send = (mail: SmtpMail) =>
  mail.send({ to: 'ada@example.org', subject: 'S', text: 'T', html: '<p>T', id: 'a', date: 0 })

/** Sends a message to a faulty server. @returns the error, and the lines that the server got */
async function failureOf(greet: (socket: Socket) => void, answer: Answer = honest) {
  const server = await startFaultyMailServer(greet, answer)
  onTestFinished(server.stop)
  const mail = new SmtpMail(smtpAt(server.port), { deadlines })
  onTestFinished(() => mail.close())
  const error: unknown = await send(mail).then(
    () => undefined,
    (failure: unknown) => failure,
  )
  return { error, lines: server.lines, mail }
}

/** Replies honestly, except to lines that begin with a word. */
const except =
  (word: string, reply: Answer): Answer =>
  (line, socket) =>
    line.startsWith(word) ? reply(line, socket) : honest(line)

it('the server of these tests takes messages, unless it is faulty', async () => {
  const { error, lines } = await failureOf(hello)
  expect(error).toBeUndefined()
  expect(lines.map((line) => line.split(' ', 1)[0])).toEqual(['EHLO', 'MAIL', 'RCPT', 'DATA', '.'])
})

it.each([
  ['451 try later', 'RCPT', false],
  ['421 closing', 'MAIL', false],
  ['450 greylisted', '.', false],
  ['550 no such user', 'RCPT', true],
  ['550 refused', 'MAIL', true],
  ['554 spam', '.', true],
  ['530 sign in first', 'MAIL', false],
  ['500 unknown', 'EHLO', undefined],
])('%s to %s: whether it is permanent', async (reply, word, isPermanent) => {
  const { error } = await failureOf(
    hello,
    except(word, () => reply),
  )
  // HELO comes after a refused EHLO.
  if (isPermanent === undefined) expect(error).toBeUndefined()
  else expect(error).toMatchObject({ name: 'MailError', isPermanent, message: expect.stringContaining(reply) })
})

it('reads replies of several lines', async () => {
  const { error } = await failureOf(
    (socket) => void socket.write('220-mail.test\r\n220-hello\r\n220 ready\r\n'),
    except('RCPT', () => '250-2.1.5\r\n250 Ok'),
  )
  expect(error).toBeUndefined()
})

describe('a connection that is reset', () => {
  it.each(['EHLO', 'MAIL', 'RCPT', 'DATA', '.'])('after %s is an error that passes', async (word) => {
    const { error } = await failureOf(
      hello,
      except(word, (_line, socket) => void socket.resetAndDestroy()),
    )
    expect(error).toMatchObject({ name: 'MailError', isPermanent: false })
  })

  it('before the greeting is an error that passes', async () => {
    const { error } = await failureOf((socket) => void socket.resetAndDestroy())
    expect(error).toMatchObject({ name: 'MailError', isPermanent: false })
  })
})

describe('a server ends no call late', () => {
  it.each([
    ['that never greets', () => undefined, honest],
    ['that greets without an end', (socket: Socket) => drip(socket, '220-more\r\n'), honest],
    ['that greets with one endless line', (socket: Socket) => drip(socket, '220 x'), honest],
    ['that is silent after RCPT', hello, except('RCPT', () => undefined)],
    ['that never confirms a message', hello, except('.', () => undefined)],
    ['that answers EHLO without an end', hello, except('EHLO', (_, socket) => drip(socket, '250-X\r\n'))],
  ])('%s', async (_, greet, answer) => {
    const start = performance.now()
    const { error } = await failureOf(greet, answer)
    expect(error).toMatchObject({ name: 'MailError', isPermanent: false })
    // The deadlines, and the delays of a busy machine.
    expect(performance.now() - start).toBeLessThan(deadlines.totalMs + 5_000)
  })
})

/** Sends a text every 20 ms until the client leaves. */
function drip(socket: Socket, text: string): undefined {
  const timer = setInterval(() => void socket.write(text), 20)
  socket.on('close', () => clearInterval(timer))
}

it('a reply of a megabyte ends the connection', async () => {
  const { error } = await failureOf(
    hello,
    except('EHLO', () => `250-${'x'.repeat(1_000_000)}\r\n250 Ok`),
  )
  expect(error).toMatchObject({ isPermanent: false, message: expect.stringContaining('maximum allowed size') })
})

it('a message that is larger than the server takes fails for ever, without being sent', async () => {
  const { error, lines } = await failureOf(
    hello,
    except('EHLO', () => '250-mail.test\r\n250 SIZE 100'),
  )
  expect(error).toMatchObject({ name: 'MailError', isPermanent: true })
  expect(lines).not.toContain('DATA')
})

it('a server that is down is an error that passes', async () => {
  const server = await startFaultyMailServer(hello, honest)
  await server.stop()
  const mail = new SmtpMail(smtpAt(server.port), { deadlines })
  await expect(send(mail)).rejects.toThrow(/The mail server at 127\.0\.0\.1:\d+ took no message: .*ECONNREFUSED/)
  await mail.close()
})

it('a text of the server is quoted in one short line', async () => {
  const { error } = await failureOf(
    hello,
    except('RCPT', () => `550 \u0007${'long '.repeat(1_000)}`),
  )
  expect((error as MailError).message).toMatch(/^[^\p{C}]{100,400}$/u)
})

it('a session that has ended between two messages is not used again', async () => {
  const { error, mail, lines } = await failureOf(hello, (line, socket) => {
    if (line === '.') setTimeout(() => socket.destroy(), 20)
    return honest(line)
  })
  expect(error).toBeUndefined()
  await new Promise((resolve) => setTimeout(resolve, 200))
  await send(mail)
  expect(lines.filter((line) => line.startsWith('EHLO'))).toHaveLength(2)
})
