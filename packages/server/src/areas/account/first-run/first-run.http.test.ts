import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer, type TestApp } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { startSite, type Site } from '../../../../test/site.js'
import { accountStore } from '../accounts/store.js'
import { newCode } from './setup-code.js'
import { setupCodeStore } from './store.js'

/** The first account of an empty server, created in the console with the code that the server has printed. */

const input = { email: 'ada@example.com', password: 'correct horse battery staple' }

describe.each(databaseKinds)('an empty server on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind)
  })
  beforeEach(async () => {
    for (const table of ['session', 'account']) await site.sql(`delete from ${table}`)
  })
  afterAll(() => site.stop())

  const create = (body: object, { call, url }: TestApp = site) =>
    call('POST', '/console/api/setup', { body: { ...input, ...body }, headers: { origin: url } })
  const needed = async () => (await site.call('GET', '/console/api/setup')).body['data'].needed as boolean
  const emails = async () => (await site.sql('select email from account')).map(({ email }) => email)
  const expectProblem = (answer: Answer, message: RegExp) => {
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toMatch(message)
    expect(answer.headers.getSetCookie()).toEqual([])
  }

  it('creates the first account with the code, and signs it in', async () => {
    const code = await site.app.issueSetupCode()
    expect(code).toMatch(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/)
    expect(await needed()).toBe(true)
    const answer = await create({ code, email: ' Ada@Example.COM', nickname: ' Ada ' })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body['data'].user).toMatchObject({ email: 'ada@example.com', nickname: 'Ada' })
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const who = await site.call('GET', '/console/api/session', { headers: { cookie } })
    expect(who.body['data']).toEqual(answer.body['data'])
    expect(await needed()).toBe(false)
    expect((await site.signIn('ada@example.com', { password: input.password })).status).toBe(200)
  })

  it('accepts the code in lower case, with spaces and without its hyphen', async () => {
    const code = ` ${(await site.app.issueSetupCode()).toLowerCase().replace('-', '')} `
    expect((await create({ code })).status).toBe(200)
  })

  it('403 forbidden as soon as there is an account, and the code stays invalid after its deletion', async () => {
    const code = await site.app.issueSetupCode()
    const bob = await site.account('bob@example.com')
    expectError(await create({ code }), 'forbidden')
    expect(await needed()).toBe(false)
    await accountStore(site.app.database).removeAdded(bob)
    expect(await needed()).toBe(false)
    const answer = await create({ code })
    expectError(answer, 'forbidden')
    expect(answer.body['message']).toMatch(/^No setup code is valid: /)
    expect(await emails()).toEqual([])
  })

  it('400 for a wrong code, and for the code before the last', async () => {
    const old = await site.app.issueSetupCode()
    await site.app.issueSetupCode()
    for (const code of [old, 'AAAA-AAAA', '', '\u0131'])
      expectProblem(await create({ code }), /^code must be the code that svc serve or svc setup-code printed last\.$/)
    expect(await emails()).toEqual([])
  })

  it('accepts the code of svc setup-code instead of the printed one, and none is stored once there is an account', async () => {
    const printed = await site.app.issueSetupCode()
    const [stored, codes] = [newCode(), setupCodeStore(site.app.database)]
    await codes.replace(stored.hash)
    expectProblem(
      await create({ code: printed }),
      /^code must be the code that svc serve or svc setup-code printed last/,
    )
    expect((await create({ code: stored.code })).status).toBe(200)
    await expect(codes.replace(newCode().hash)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('after ten wrong codes from a network it refuses the right one too, and says for how long', async () => {
    const fresh = await site.another()
    const code = await fresh.app.issueSetupCode()
    const answers = await Promise.all(Array.from({ length: 12 }, () => create({ code: 'AAAA-AAAA' }, fresh)))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(10).fill(400), 401, 401])
    const answer = await create({ code }, fresh)
    await fresh.stop()
    expectError(answer, 'unauthorized')
    const seconds = Number(answer.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(60)
    expect(answer.body['message']).toBe(`Too many codes were wrong: try again in ${String(seconds)} s.`)
  })

  it.each([
    ['email', { email: 'ada' }, /^email must be an address such as you@example\.com, not "ada"\.$/],
    [
      'email',
      { email: `ada@${'d'.repeat(60)}.${'é'.repeat(60)}.${'é'.repeat(40)}` },
      /^email must have at most 254 bytes, not /,
    ],
    ['password', { password: 'short' }, /^password must have 8 to 1024 characters, not 5\.$/],
    ['nickname', { nickname: 'x'.repeat(65) }, /^nickname must have at most 64 characters, not 65\.$/],
    ['nickname', { nickname: 'a\u202eb' }, /^nickname must not contain control characters/],
  ])('400 that names the field %s, as svc user add refuses it: %j', async (_field, fields, message) => {
    expectProblem(await create({ code: await site.app.issueSetupCode(), ...fields }), message)
    expect(await emails()).toEqual([])
  })

  it('two processes with two codes create one account at the same time', async () => {
    const other = await site.another()
    const [one, two] = [await site.app.issueSetupCode(), await other.app.issueSetupCode()]
    const answers = await Promise.all([
      create({ code: one, email: 'one@example.com' }),
      create({ code: two, email: 'two@example.com' }, other),
      create({ code: one, email: 'three@example.com' }),
    ])
    await other.stop()
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403])
    expect(await emails()).toHaveLength(1)
  })

  it('simultaneous creations beyond the limit of a network are refused before their password is hashed', async () => {
    const code = await site.app.issueSetupCode()
    const together = <T>(run: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, run))
    // On open connections, the requests arrive before the first password is hashed.
    await together(() => site.call('GET', '/console/api/setup'))
    const answers = await together(() => create({ code }))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const waiting = answers.filter(({ status }) => status === 401)
    expect(waiting.length).toBeGreaterThan(0)
    for (const answer of waiting) expect(answer.headers.get('retry-after')).toBe('1')
  })

  it('403 forbidden for a page of another site, with the right code too', async () => {
    const code = await site.app.issueSetupCode()
    for (const headers of [{}, { origin: 'http://evil.example' }, { origin: 'null' }])
      expectError(await site.call('POST', '/console/api/setup', { body: { ...input, code }, headers }), 'forbidden')
    expect(await emails()).toEqual([])
  })

  it('stores neither the code nor the password in the database or the log', async () => {
    const code = await site.app.issueSetupCode()
    await create({ code: 'WRNG-CDEX' })
    await create({ code })
    const everything = (await site.everythingKept()) + site.log.join('\n')
    expect(everything).toContain('ada@example.com')
    for (const hidden of [code, code.replace('-', ''), 'WRNG-CDEX', input.password])
      expect(everything).not.toContain(hidden)
  })
})
