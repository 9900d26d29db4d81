import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { sessionAuthenticator } from '../sessions/authenticator.js'
import { sessionStore } from '../sessions/store.js'
import { tokenAuthenticator } from '../tokens/authenticator.js'
import { tokenStore } from '../tokens/store.js'

const count = 120

const local = () => '127.0.0.1'

describe.each(databaseKinds)('two processes that save the same uses in opposite order, on %s', (kind) => {
  let site: TwoProcesses
  beforeAll(async () => {
    site = await twoProcesses(kind)
  })
  afterAll(() => site.stop())

  it('both save the tokens, and no use is lost', async () => {
    const [account] = site.people
    const { db, otherDb } = site
    for (let round = 0; round < 3; round++) {
      const made = Array.from({ length: count }, (_, i) =>
        tokenStore(db).create(account!, `${round} ${i}`, ['dns:read']),
      )
      const tokens = (await Promise.all(made)).map(({ token }) => token)
      const processes = [tokenAuthenticator(db), tokenAuthenticator(otherDb)] as const
      const before = Date.now()
      for (const token of tokens) await processes[0].authenticate(token, local)
      for (const token of tokens.toReversed()) await processes[1].authenticate(token, local)
      await Promise.all(processes.map((process) => process.saveUses()))
      const { value: newest } = await tokenStore(db).list(account!).next()
      const uses = newest!.slice(0, count).map(({ lastUsedAt }) => lastUsedAt ?? 0)
      expect(Math.min(...uses)).toBeGreaterThanOrEqual(before)
    }
  })

  it('both save the sessions while a third call ends all of them', async () => {
    const { db, otherDb } = site
    const account = { ...site.people[1]!, passwordHash: 'x' }
    for (let round = 0; round < 3; round++) {
      const begun = Array.from({ length: count }, () => sessionStore(db).begin(account, { ip: '', userAgent: '' }))
      const secrets = (await Promise.all(begun)).map(({ secret }) => secret)
      // Two minutes later, because a use within a minute after the beginning is not saved.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 })
      const processes = [sessionAuthenticator(db), sessionAuthenticator(otherDb)] as const
      for (const secret of secrets) await processes[0].authenticate(secret)
      for (const secret of secrets.toReversed()) await processes[1].authenticate(secret)
      vi.useRealTimers()
      const ended = sessionStore(otherDb).revokeAll(account)
      await Promise.all([...processes.map((process) => process.saveUses()), ended])
      expect(await ended).toBe(count)
    }
  })
})
