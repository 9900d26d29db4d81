import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../test/app.js'
import { twoProcesses, type TwoProcesses } from '../../../test/two-processes.js'
import type { Database } from '../../db/port.js'
import { LiveRegistries, type AskRegistry } from './live-registries.js'
import { RegistryError, type Registration } from './port.js'
import { registrationStore } from './registration-store.js'

const minute = 60 * 1000
const day = 24 * 60 * minute
const noon = Date.parse('2026-11-20T12:00:00Z')

const registrationOf = (domain: string, registrar: string): Registration => ({
  domain,
  registrar,
  createdAt: noon - day,
  updatedAt: null,
  expiresAt: noon + day,
  nameservers: [],
  statuses: ['ok'],
  dnssec: null,
  source: 'rdap',
  raw: null,
})

const removeOld = (registries: LiveRegistries) =>
  Promise.all(registries.jobs.map(({ run }) => run(new AbortController().signal)))

describe.each(databaseKinds)('registration data on %s', (kind) => {
  let both: TwoProcesses
  let clock: number
  let domain: string
  let domains = 0
  let asked: string[]
  let ask: AskRegistry
  const warn = vi.fn()
  const open: LiveRegistries[] = []

  const registriesOn = (db: Database, deadlineMs = 15_000, isFallback = () => false) => {
    const made = new LiveRegistries({
      db,
      log: { warn },
      now: () => clock,
      deadlineMs,
      isFallback,
      ask: (question) => {
        asked.push(question.domain)
        return ask(question)
      },
    })
    open.push(made)
    return made
  }

  beforeAll(async () => {
    both = await twoProcesses(kind)
  })
  afterAll(() => both.stop())
  beforeEach(() => {
    clock = noon
    asked = []
    domains += 1
    domain = `example${String(domains)}.com`
    ask = (question) => Promise.resolve(registrationOf(question.domain, `Registrar ${String(asked.length)}`))
    warn.mockClear()
  })
  afterEach(async () => {
    for (const registries of open.splice(0)) await registries.close()
  })

  it('two processes make one look-up for concurrent calls', async () => {
    let answer: (registration: Registration) => void = () => undefined
    ask = () => new Promise((resolve) => (answer = resolve))
    const calls = [both.db, both.otherDb].flatMap((db) => {
      const registries = registriesOn(db)
      return Array.from({ length: 10 }, () => registries.lookUp(domain))
    })
    await expect.poll(() => asked.length).toBeGreaterThan(0)
    // Both processes have read the row before the registry answers.
    for (let turn = 0; turn < 20; turn += 1) await both.otherDb.ping()
    answer(registrationOf(domain, 'Example Registrar'))
    const answers = await Promise.all(calls)
    expect(new Set(answers.map(({ registration }) => registration?.registrar))).toEqual(new Set(['Example Registrar']))
    expect(answers.map(({ isCached }) => isCached)).not.toContain(true)
    expect(asked).toEqual([domain])
  })

  it('an answer of WHOIS in place of RDAP is cached for ten minutes', async () => {
    const registries = registriesOn(both.db, 15_000, () => true)
    await registries.lookUp(domain)
    clock += 10 * minute - 1
    expect(await registriesOn(both.otherDb).lookUp(domain)).toMatchObject({ isCached: true })
    clock += 1
    expect(await registriesOn(both.db).lookUp(domain)).toMatchObject({ isCached: false })
  })

  it('a registered domain is cached for a day, an unregistered one for five minutes', async () => {
    const first = await registriesOn(both.db).lookUp(domain)
    expect(first).toEqual({ registration: registrationOf(domain, 'Registrar 1'), fetchedAt: noon, isCached: false })
    clock = noon + day - 1
    expect(await registriesOn(both.otherDb).lookUp(domain)).toEqual({ ...first, isCached: true })
    clock = noon + day
    expect(await registriesOn(both.db).lookUp(domain)).toMatchObject({ isCached: false, fetchedAt: clock })

    ask = () => Promise.resolve(undefined)
    const free = `free-${domain}`
    await registriesOn(both.db).lookUp(free)
    clock += 5 * minute - 1
    expect(await registriesOn(both.otherDb).lookUp(free)).toMatchObject({ registration: undefined, isCached: true })
    clock += 1
    expect(await registriesOn(both.db).lookUp(free)).toMatchObject({ isCached: false })
    expect(asked).toEqual([domain, domain, free, free])
  })

  it('serves an answer from memory without a query', async () => {
    const registries = registriesOn(both.db)
    await registries.lookUp(domain)
    const cached = await registries.lookUp(domain)
    expect(cached.isCached).toBe(true)
    // The same object, so that its JSON is written once.
    expect(await registries.lookUp(domain)).toBe(cached)
  })

  it('remembers a failure for ten seconds, in every process', async () => {
    ask = () => Promise.reject(new RegistryError('The registry cannot be reached.'))
    await expect(registriesOn(both.db).lookUp(domain)).rejects.toThrow('The registry cannot be reached.')
    clock += 9_999
    await expect(registriesOn(both.otherDb).lookUp(domain)).rejects.toThrow('The registry cannot be reached.')
    expect(asked).toHaveLength(1)
    clock += 1
    ask = () => Promise.resolve(undefined)
    expect(await registriesOn(both.otherDb).lookUp(domain)).toMatchObject({ registration: undefined })
  })

  it('a refresh asks the registry, replaces the answer, and keeps it if the registry fails', async () => {
    const registries = registriesOn(both.db)
    await registries.lookUp(domain)
    clock += 1
    const refreshed = await Promise.all([registries.refresh(domain), registries.refresh(domain)])
    expect(refreshed.map(({ registration }) => registration?.registrar)).toEqual(['Registrar 2', 'Registrar 2'])
    expect((await registries.lookUp(domain)).registration?.registrar).toBe('Registrar 2')
    clock += 1
    ask = () => Promise.reject(new RegistryError('The registry cannot be reached.'))
    await expect(registries.refresh(domain)).rejects.toThrow('cannot be reached')
    expect(await registriesOn(both.otherDb).lookUp(domain)).toMatchObject({
      isCached: true,
      registration: { registrar: 'Registrar 2' },
    })
  })

  it('a refresh accepts an answer that is young enough, in every process', async () => {
    await registriesOn(both.db).lookUp(domain)
    clock += minute
    const refresh = (maxAgeMs: number) => registriesOn(both.otherDb).refresh(domain, { maxAgeMs })
    expect(await refresh(minute)).toMatchObject({ fetchedAt: noon, isCached: true })
    expect(asked).toHaveLength(1)
    expect(await refresh(minute - 1)).toMatchObject({ fetchedAt: clock, isCached: false })
    expect(asked).toHaveLength(2)
  })

  it('a refresh that is aborted ends, and its look-up continues', async () => {
    let answer: (registration: Registration) => void = () => undefined
    ask = () => new Promise((resolve) => (answer = resolve))
    const registries = registriesOn(both.db)
    const left = new AbortController()
    const call = registries.refresh(domain, { signal: left.signal })
    await expect.poll(() => asked.length).toBe(1)
    left.abort(new Error('The client left.'))
    await expect(call).rejects.toThrow('The client left.')
    answer(registrationOf(domain, 'Example Registrar'))
    expect((await registries.lookUp(domain)).registration?.registrar).toBe('Example Registrar')
    expect(asked).toHaveLength(1)
  })

  it('a stop ends look-ups at once, and another process can repeat them at once', async () => {
    ask = () => new Promise(() => undefined)
    const registries = registriesOn(both.db)
    const call = registries.lookUp(domain)
    const rejected = expect(call).rejects.toThrow('The server is stopping.')
    await expect.poll(() => asked.length).toBe(1)
    await registries.close()
    await rejected
    await expect(registries.lookUp(`other-${domain}`)).rejects.toThrow('The server is stopping.')
    ask = () => Promise.resolve(undefined)
    expect(await registriesOn(both.otherDb).lookUp(domain)).toMatchObject({ registration: undefined })
  })

  it('the claim of a killed process ends', async () => {
    const store = registrationStore(both.db)
    await store.claim(domain, { now: clock, until: clock + 20_000, latest: clock + 80_000 }, undefined)
    await expect(registriesOn(both.otherDb, 300).lookUp(domain)).rejects.toThrow(
      'The registry has not answered in time.',
    )
    clock += 20_000
    expect(await registriesOn(both.otherDb).lookUp(domain)).toMatchObject({ isCached: false })
  })

  it('an answer, a failure and a claim with a time in the future do not count', async () => {
    const store = registrationStore(both.db)
    clock = noon + day
    await registriesOn(both.db).lookUp(domain)
    clock = noon
    expect(await registriesOn(both.otherDb).lookUp(domain)).toMatchObject({ isCached: false, fetchedAt: noon })
    const claimed = `claimed-${domain}`
    await store.claim(claimed, { now: noon + day, until: noon + day, latest: noon + day }, undefined)
    expect(await registriesOn(both.otherDb).lookUp(claimed)).toMatchObject({ isCached: false })
    const refreshed = `refreshed-${domain}`
    clock = noon + day
    await registriesOn(both.db).refresh(refreshed)
    clock = noon
    expect(await registriesOn(both.otherDb).refresh(refreshed)).toMatchObject({ isCached: false, fetchedAt: noon })
  })

  it('the row of a running look-up is not removed, and an answer is saved without a row', async () => {
    ask = () => Promise.reject(new RegistryError('The registry cannot be reached.'))
    const registries = registriesOn(both.db)
    await expect(registries.lookUp(domain)).rejects.toThrow('cannot be reached')
    clock += minute
    let answer: (registration: Registration) => void = () => undefined
    ask = () => new Promise((resolve) => (answer = resolve))
    const call = registries.lookUp(domain)
    await expect.poll(() => asked.length).toBe(2)
    const store = registrationStore(both.otherDb)
    await store.removeOld(clock + 1)
    expect(await store.find(domain)).toBeDefined()
    // After the claim.
    await store.removeOld(clock + day)
    expect(await store.find(domain)).toBeUndefined()
    answer(registrationOf(domain, 'Example Registrar'))
    await call
    expect(await registriesOn(both.otherDb).lookUp(domain)).toMatchObject({ isCached: true, fetchedAt: clock })
  })

  it('a failure is remembered for a row that was old', async () => {
    await registriesOn(both.db).lookUp(domain)
    const registries = registriesOn(both.db)
    clock += 2 * day
    ask = () => Promise.reject(new RegistryError('The registry cannot be reached.'))
    await expect(registries.lookUp(domain)).rejects.toThrow('cannot be reached')
    await removeOld(registries)
    await expect(registriesOn(both.otherDb).lookUp(domain)).rejects.toThrow('cannot be reached')
    expect(asked).toHaveLength(2)
  })

  it('an unexpected error is thrown as it is, and remembered without its text', async () => {
    ask = () => Promise.reject(new TypeError('a bug'))
    await expect(registriesOn(both.db).lookUp(domain)).rejects.toThrow('a bug')
    await expect(registriesOn(both.otherDb).lookUp(domain)).rejects.toThrow('The look-up failed.')
  })

  it('limits the look-ups that run, without a warning of Node.js', async () => {
    const emitted = vi.spyOn(process, 'emitWarning')
    ask = () => new Promise(() => undefined)
    const registries = registriesOn(both.db)
    const calls = Array.from({ length: 1_001 }, (_, n) => registries.lookUp(`n${String(n)}-${domain}`))
    const outcomes = Promise.allSettled(calls)
    await expect(calls[1_000]).rejects.toThrow('Too many look-ups are running.')
    await expect.poll(() => asked.length).toBeGreaterThan(20)
    registries.stop()
    expect((await outcomes).map(({ status }) => status)).not.toContain('fulfilled')
    expect(emitted).not.toHaveBeenCalled()
    emitted.mockRestore()
  })

  it('removes old rows, and no others', async () => {
    const registries = registriesOn(both.db)
    await registries.lookUp(domain)
    const store = registrationStore(both.otherDb)
    clock = noon + day
    await removeOld(registries)
    expect(await store.find(domain)).toBeDefined()
    clock = noon + day + 60 * minute + 1
    await removeOld(registries)
    expect(await store.find(domain)).toBeUndefined()
  })
})

it('a failure that cannot be saved is logged, and the caller gets its reason', async () => {
  const warn = vi.fn()
  const fail = new Error('disk I/O error')
  const write = vi.fn().mockResolvedValueOnce(true).mockRejectedValue(fail)
  const db = { one: () => Promise.resolve(undefined), write } as unknown as Database
  const ask = () => Promise.reject(new RegistryError('The registry cannot be reached.'))
  await expect(new LiveRegistries({ db, ask, log: { warn } }).lookUp('example.com')).rejects.toThrow(
    'cannot be reached',
  )
  expect(warn).toHaveBeenCalledWith({ err: fail }, 'a failed look-up could not be saved')
})

it('an older answer does not replace a newer one in memory', async () => {
  const now = Date.now()
  let read: () => void = () => undefined
  const stored = {
    data: JSON.stringify(registrationOf('example.com', 'Old Registrar')),
    fetched_at: now - 1000,
    fresh_until: now + day,
    claimed_until: 0,
    error: null,
    failed_at: null,
  }
  const one = vi
    .fn()
    .mockImplementationOnce(() => new Promise((resolve) => (read = () => resolve(stored))))
    .mockResolvedValue(stored)
  const db = { one, write: () => Promise.resolve(true) } as unknown as Database
  const ask = () => Promise.resolve(registrationOf('example.com', 'New Registrar'))
  const registries = new LiveRegistries({ db, ask, log: { warn: vi.fn() } })
  const slow = registries.lookUp('example.com')
  await registries.refresh('example.com')
  read()
  await slow
  expect((await registries.lookUp('example.com')).registration?.registrar).toBe('New Registrar')
})
