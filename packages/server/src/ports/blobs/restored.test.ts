import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { later, never, someBytes, startIntakes, type Intakes } from '../../../test/intakes.js'
import { inspectObjects } from './inspect.js'
import type { BlobIntake } from './intake.js'
import type { BlobKey } from './port.js'
import { writerStore } from './writer-store.js'
import { leaseMs } from './writers.js'

// Each test opens a database.
vi.setConfig({ testTimeout: 60_000 })

/** Two states of one database on one blob store: a backup that was restored, or a copy beside the original. */

describe.each(['sqlite', 'postgres'] as const)('a restored database on %s', (kind) => {
  let system: Intakes
  let running: BlobIntake
  let restored: Awaited<ReturnType<Intakes['copy']>>
  beforeAll(async () => {
    system = await startIntakes(kind)
  })
  afterAll(() => system.stop())
  beforeEach(() => {
    running = system.intake()
    system.logged.length = 0
  })
  afterEach(async () => {
    vi.useRealTimers()
    await running.close()
    await restored.stop()
  })

  async function committed(intake: BlobIntake): Promise<BlobKey> {
    const { key } = await intake.put(someBytes())
    await system.commit(key)
    intake.settle(key)
    return key
  }
  const laterState = async () => {
    const found = await inspectObjects(writerStore(restored.db), system.blobs)
    expect(found.orphans.count).toBe(0)
    return found.laterState.first
  }

  it('keeps what a process has stored that went on after the backup', async () => {
    await committed(running)
    restored = await system.copy()
    const newer = await committed(running)
    await system.lease(running)
    later(leaseMs + 1)
    expect(await laterState()).toEqual([newer])
    await restored.intake.sweep(never)
    expect(await system.exists(newer)).toBe(true)
    expect(system.logged.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      expect.stringContaining('a later state of the database'),
    ])
    // Also when the process stores more: the writer is now unknown.
    const newest = await committed(running)
    await restored.intake.sweep(never)
    expect(await system.exists(newest)).toBe(true)
    expect((await laterState()).sort()).toEqual([newer, newest].sort())
    expect(system.logged).toHaveLength(1)
  })

  it('keeps an upload that was in progress at the backup', async () => {
    const { key } = await running.put(someBytes())
    restored = await system.copy()
    await system.commit(key)
    running.settle(key)
    await system.lease(running)
    later(leaseMs + 1)
    await restored.intake.sweep(never)
    expect(await system.exists(key)).toBe(true)
  })

  it('keeps what a process has stored that stopped right after the backup', async () => {
    await committed(running)
    restored = await system.copy()
    const newer = await committed(running)
    await running.close()
    later(leaseMs + 1)
    await restored.intake.sweep(never)
    expect(await system.exists(newer)).toBe(true)
  })

  it('keeps what processes have stored that started after the backup', async () => {
    restored = await system.copy()
    const newer = await committed(running)
    await running.close()
    const first = await restored.intake.put(someBytes())
    await restored.intake.close()
    await restored.intake.sweep(never)
    expect(await system.exists(newer)).toBe(true)
    expect(await system.exists(first.key)).toBe(false)
  })

  it('loses nothing to the sweep of the original', async () => {
    restored = await system.copy()
    const { key } = await restored.intake.put(someBytes())
    await restored.intake.close()
    later(leaseMs + 1)
    await system.otherIntake().sweep(never)
    expect(await system.exists(key)).toBe(true)
  })

  it('removes an object without a row whose process had stopped before the backup', async () => {
    const { key } = await running.put(someBytes())
    await running.close()
    restored = await system.copy()
    await restored.intake.sweep(never)
    expect(await system.exists(key)).toBe(false)
  })

  it('removes an object without a row whose process was killed, although it had renewed its lease', async () => {
    const { key } = await running.put(someBytes())
    await system.lease(running)
    restored = await system.copy()
    later(leaseMs + 1)
    await restored.intake.sweep(never)
    expect(await system.exists(key)).toBe(false)
  })
})
