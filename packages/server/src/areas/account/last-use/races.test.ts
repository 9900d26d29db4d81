import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { sessionCallers, sessionStore } from '../sessions/store.js'
import { tokenCallers, tokenStore } from '../tokens/store.js'

const count = 120

describe.each(databaseKinds)('two processes that save the same uses in opposite order, on %s', (kind) => {
  let site: TwoProcesses
  beforeAll(async () => {
    site = await twoProcesses(kind)
  })
  afterAll(() => site.stop())

  const fail = (error: unknown) => {
    throw error
  }

  it('both save the tokens, and no use is lost', async () => {
    const [account] = site.people
    const { db, otherDb } = site
    for (let round = 0; round < 3; round++) {
      const made = Array.from({ length: count }, () => tokenStore(db).create(account!, 'used', ['dns:read']))
      const tokens = (await Promise.all(made)).map(({ token }) => token)
      const callers = [tokenCallers(db, fail), tokenCallers(otherDb, fail)] as const
      const before = Date.now()
      for (const token of tokens) await callers[0].callerOf(token)
      for (const token of tokens.toReversed()) await callers[1].callerOf(token)
      await Promise.all(callers.map((process) => process.close()))
      const uses = (await tokenStore(db).list(account!)).slice(0, count).map(({ lastUsedAt }) => lastUsedAt ?? 0)
      expect(Math.min(...uses)).toBeGreaterThanOrEqual(before)
    }
  })

  it('both save the sessions, while a third ends them all', async () => {
    const { db, otherDb } = site
    const account = { ...site.people[1]!, passwordHash: 'x' }
    for (let round = 0; round < 3; round++) {
      const begun = Array.from({ length: count }, () => sessionStore(db).begin(account, { ip: '', userAgent: '' }))
      const secrets = (await Promise.all(begun)).map(({ secret }) => secret)
      // Two minutes later: a session that has just begun needs no save.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 })
      const callers = [sessionCallers(db, fail), sessionCallers(otherDb, fail)] as const
      for (const secret of secrets) await callers[0].callerOf(secret)
      for (const secret of secrets.toReversed()) await callers[1].callerOf(secret)
      vi.useRealTimers()
      const ended = sessionStore(otherDb).revokeAll(account)
      await Promise.all([...callers.map((process) => process.close()), ended])
      expect(await ended).toBe(count)
    }
  })
})
