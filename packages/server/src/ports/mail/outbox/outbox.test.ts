import pino from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { runSql } from '../../../../test/site.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { Wakeup } from '../../../shared/wakeup.js'
import type { MailKind } from '../kinds.js'
import { MailError, type Mail, type MailMessage } from '../port.js'
import { operatorActor } from '../../../shared/actor.js'
import { optOutOf } from '../unsubscribe/opt-out-store.js'
import { countedMax, dueStore, type DueStore } from './due-store.js'
import { Mailer, type MailerOptions } from './mailer.js'
import { MailOutbox } from './outbox.js'
import { queuedMail, queueMailAlone, waitingMax } from './queue-store.js'

const hour = 3_600_000
const day = 24 * hour

/** A mail server that takes or refuses what a test says. */
function fakeMail(fail: (message: MailMessage) => Error | undefined = () => undefined) {
  const sent: MailMessage[] = []
  const mail: Mail = {
    send: async (message) => {
      const error = fail(message)
      if (error) throw error
      sent.push(message)
      return Promise.resolve()
    },
    check: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
  return { sent, mail }
}

describe.each(databaseKinds)('the outbox on %s', (kind) => {
  let site: TwoProcesses
  let due: DueStore
  const logged: unknown[] = []
  beforeAll(async () => {
    site = await twoProcesses(kind)
    due = dueStore(site.db)
  })
  afterAll(() => site.stop())
  afterEach(async () => {
    await sql('delete from mail_message')
    await sql('delete from mail_opt_out')
    logged.length = 0
  })

  const sql = (statement: string) => runSql(site.config, statement)
  const ada = () => site.people[0]!.id

  const add = (topic = 'form 1', text = 'x', accountId = ada(), mailKind: MailKind = 'form-submission') =>
    queueMailAlone(
      site.db,
      queuedMail({ accountId, kind: mailKind, topic, content: { title: `About ${topic}`, paragraphs: [text] } }),
    )

  const mailerWith = (mail: Mail, others: Partial<MailerOptions> = {}) => {
    const log = (...line: unknown[]) => void logged.push(line)
    return new Mailer({
      mail,
      due,
      log: { warn: log, error: log },
      wakeup: new Wakeup(),
      composers: {},
      unsubscribeUrl: (accountId, what) => Promise.resolve(`https://h/unsubscribe/${String(accountId)}.${what}`),
      ...others,
    })
  }

  /** Runs the worker until it has nothing more to do. */
  async function sendAll(mail: Mail, others: Partial<MailerOptions> = {}): Promise<void> {
    const mailer = mailerWith(mail, others)
    for (let i = 0; i < 30; i++) {
      await mailer.job.run(new AbortController().signal)
      await mailer.idle()
    }
    await mailer.close()
  }

  const rows = () => sql('select * from mail_message order by id')

  it('sends an event once, to the address of the account, with a link that switches off the kind', async () => {
    const { sent, mail } = fakeMail()
    await add()
    await sendAll(mail)
    expect(sent).toMatchObject([
      {
        to: site.people[0]!.email,
        subject: 'About form 1',
        id: expect.stringMatching(/^form-submission\.\d+\.[a-z\d]+\.1$/),
        unsubscribeUrl: `https://h/unsubscribe/${String(ada())}.form-submission`,
      },
    ])
    expect(sent[0]?.text).toContain('No more e-mails of this kind:')
  })

  it('sends one e-mail of a topic in an hour, and says in the next one how many events it leaves out', async () => {
    const { sent, mail } = fakeMail()
    for (const text of ['first', 'second', 'third', 'fourth']) {
      await add('form 1', text)
      if (text === 'first') await sendAll(mail)
    }
    await add('form 2', 'other')
    await sendAll(mail)
    expect(sent.map(({ subject }) => subject)).toEqual(['About form 1', 'About form 2'])
    const [first] = await rows()
    expect(Number(first?.['due_at'])).toBeGreaterThan(Date.now() + 0.9 * hour)
    await sql(`update mail_message set due_at = 1 where topic = 'form 1'`)
    await sendAll(mail)
    expect(sent).toHaveLength(3)
    expect(sent[2]?.text).toContain('fourth\n\n2 more events of this kind came before this one')
    expect((await rows()).map((row) => row['due_at'])).toEqual([null, null])
  })

  it('an event during an attempt waits for the next e-mail', async () => {
    const { sent, mail } = fakeMail()
    await add('form 1', 'first')
    const [claimed] = await due.claim(4, Date.now(), 60_000)
    await add('form 1', 'second')
    await due.end(claimed!, Date.now(), null)
    await sql('update mail_message set due_at = 1')
    await sendAll(mail)
    expect(sent).toHaveLength(1)
    expect(sent[0]?.text).toContain('second')
    expect(sent[0]?.text).not.toContain('more event')
  })

  it('sends nothing to an account that has switched off the kind, or is suspended, and still other kinds', async () => {
    const { sent, mail } = fakeMail()
    await add()
    await optOutOf(site.db, ada(), 'form-submission', operatorActor('test'))
    await optOutOf(site.db, ada(), 'form-submission', operatorActor('test'))
    await add('form 3')
    await add('browser', 'x', ada(), 'new-browser')
    const bob = site.people[1]!.id
    await sql(`update account set state = 'stopped' where id = ${String(bob)}`)
    await add('form 1', 'x', bob)
    await sql(`update account set state = 'active' where id = ${String(bob)}`)
    await optOutOf(site.db, 999_999, 'form-submission', operatorActor('test'))
    await sendAll(mail)
    expect(sent.map(({ subject }) => subject)).toEqual(['About browser'])
  })

  it('keeps at most 50 waiting e-mails of an account and drops further ones, but takes those of others and urgent ones', async () => {
    const outcomes = new Set<string>()
    for (let i = 0; i < waitingMax; i++) outcomes.add(await add(`topic ${String(i)}`))
    expect([...outcomes, await add('one more')]).toEqual(['added', 'dropped'])
    expect(await add('form 1', 'x', site.people[1]!.id)).toBe('added')
    for (const urgent of ['new-browser', 'password-reset'] as const)
      expect(await add('', 'x', ada(), urgent)).toBe('added')
    expect(await rows()).toHaveLength(waitingMax + 3)
    expect(await due.countWaiting()).toBe(waitingMax + 3)
  })

  it('counts and logs what is dropped, also while those of all accounts are too many', async () => {
    const outbox = new MailOutbox(site.db, fakeMail().mail)
    const counted: string[] = []
    const lines: string[] = []
    const { jobs } = outbox.sender({
      log: pino({}, { write: (line: string) => void lines.push(line) }),
      composers: {},
      unsubscribeBase: '',
      metrics: { countMail: (...count) => void counted.push(count.join(' ')), setWaitingMails: () => undefined },
    })
    const event = (mailKind: MailKind, topic: string) => ({
      accountId: ada(),
      kind: mailKind,
      topic,
      content: { title: 'x', paragraphs: [] },
    })
    for (let i = 0; i < waitingMax + 2; i++) await outbox.add(event('form-submission', String(i)))
    expect(counted).toEqual(['form-submission dropped', 'form-submission dropped'])
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0]!)).toMatchObject({
      account: ada(),
      kind: 'form-submission',
      msg: 'an e-mail is dropped, because too many wait',
    })
    const full = vi.spyOn(site.db, 'one').mockResolvedValue({ count: countedMax })
    await jobs.find(({ name }) => name === 'mail.upkeep')!.run(new AbortController().signal)
    full.mockRestore()
    expect(outbox.prepare(event('delivery-failure', ''))).toBeUndefined()
    expect(counted.at(-1)).toBe('delivery-failure dropped')
    for (const urgent of ['new-browser', 'password-reset'] as const)
      expect(outbox.prepare(event(urgent, ''))).toBeDefined()
  })

  it('repeats an e-mail that the server refuses for now, for two days, with the same Message-ID', async () => {
    const ids: string[] = []
    const { mail } = fakeMail(({ id }) => {
      ids.push(id)
      return new MailError('The server is down.')
    })
    await add()
    const outcomes: string[] = []
    await sendAll(mail, { onOutcome: (_, outcome) => outcomes.push(outcome) })
    const [row] = await rows()
    expect(row).toMatchObject({ attempts: 1, error: 'The server is down.' })
    expect(Number(row?.['due_at'])).toBeGreaterThan(Date.now() + 40_000)
    expect(await due.late(Date.now() + day, 10)).toMatchObject([{ error: 'The server is down.' }])
    await sql('update mail_message set due_at = 1')
    await sendAll(mail, { onOutcome: (_, outcome) => outcomes.push(outcome) })
    expect(new Set(ids).size).toBe(1)
    await sql(`update mail_message set due_at = 1, give_up_at = ${String(Date.now() - 1)}`)
    await sendAll(mail, { onOutcome: (_, outcome) => outcomes.push(outcome) })
    expect(outcomes).toEqual(['failed', 'failed', 'given_up'])
    expect(await rows()).toMatchObject([{ due_at: null, error: 'The mail server did not take it in time.' }])
  })

  it('gives up an e-mail that the server refuses for ever, without the address in the log', async () => {
    const { mail } = fakeMail(() => new MailError('No such user.', true))
    await add()
    await sendAll(mail)
    expect(await rows()).toMatchObject([{ due_at: null, events: expect.anything(), error: 'No such user.' }])
    expect(JSON.stringify(logged)).toContain('No such user.')
    expect(JSON.stringify(logged)).not.toContain(site.people[0]!.email)
  })

  it('an error in the code does not lose the e-mail: it is sent after the lease', async () => {
    const { mail } = fakeMail(() => new TypeError('a bug'))
    await add()
    await sendAll(mail)
    expect(logged).toHaveLength(1)
    expect(Number((await rows())[0]?.['due_at'])).toBeGreaterThan(Date.now())
  })

  it('makes the content of some kinds when it is sent, and drops what is not sent any more', async () => {
    const { sent, mail } = fakeMail()
    await add('reset', 'x', ada(), 'password-reset')
    const composers = { 'password-reset': () => Promise.resolve({ title: 'Made now', paragraphs: [] }) }
    await sendAll(mail, { composers })
    expect(sent).toMatchObject([{ subject: 'Made now', unsubscribeUrl: undefined }])
    await sql('delete from mail_message')
    await add('reset', 'x', ada(), 'password-reset')
    await sendAll(mail, { composers: { 'password-reset': () => Promise.resolve(undefined) } })
    await sql(`update mail_message set kind = 'of a newer version', due_at = 1`)
    await sendAll(mail)
    expect(sent).toHaveLength(1)
  })

  it('several processes send each e-mail once', async () => {
    const { sent, mail } = fakeMail()
    for (let i = 0; i < 24; i++) await add(`topic ${String(i)}`)
    await Promise.all([sendAll(mail), sendAll(mail), sendAll(mail)])
    expect(new Set(sent.map(({ id }) => id)).size).toBe(24)
    expect(sent).toHaveLength(24)
  })

  it('an outcome after the lease changes nothing', async () => {
    await add()
    const [first] = await due.claim(1, Date.now(), -1)
    const [second] = await due.claim(1, Date.now(), 60_000)
    await due.end(first!, Date.now(), null)
    await due.repeat(first!, 1, 9, 'late')
    expect(await rows()).toMatchObject([{ attempts: 2, error: null }])
    await due.end(second!, Date.now(), null)
    expect(await rows()).toMatchObject([{ due_at: null }])
  })

  it('a server that stops gives its e-mails back', async () => {
    const { mail } = fakeMail()
    await add()
    const stopFirst = () => {
      mailer.stop()
      return Promise.resolve(undefined)
    }
    const mailer = mailerWith(mail, { composers: { 'form-submission': stopFirst } })
    await mailer.job.run(new AbortController().signal)
    await mailer.close()
    await mailer.job.run(new AbortController().signal)
    await add('form 2')
    const stopping = mailerWith(mail)
    const running = stopping.job.run(new AbortController().signal)
    stopping.stop()
    await running
    await stopping.close()
    expect(await rows()).toMatchObject([{}, { attempts: 0 }])
  })

  it('removes the rows of topics that may be sent again, and what no server sends', async () => {
    const { mail } = fakeMail()
    for (const topic of ['sent', 'old', 'waits']) await add(topic)
    await sql(`update mail_message set due_at = 5 where topic = 'old'`)
    await sql(`update mail_message set due_at = 9000000000000 where topic = 'waits'`)
    await due.removeOld(Date.now())
    expect(await rows()).toHaveLength(2)
    await sendAll(mail)
    await due.removeOld(Date.now())
    expect(await rows()).toHaveLength(2)
    await due.removeOld(Date.now() + 2 * hour)
    expect((await rows()).map((row) => row['topic'])).toEqual(['waits'])
  })

  it('refuses a content that is too long', () => {
    const content = { title: 'T', paragraphs: ['x'.repeat(20_000)] }
    expect(() => queuedMail({ accountId: 1, kind: 'new-browser', topic: '', content })).toThrow(RangeError)
  })
})
