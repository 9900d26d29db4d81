import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { findingsOf } from '../../../test/findings.js'
import type { Check } from './check.js'

const check = (run: Check['run'], deadlineMs: number | undefined = 1_000): Check => ({
  section: 'disk',
  deadlineMs,
  run,
})

it('keeps what a check has found before it fails', async () => {
  const failing = check(async (_, report) => {
    report.ok('First.')
    throw new Error('no such thing')
  })
  expect(await findingsOf(failing)).toEqual(['ok First.', 'error The check failed: no such thing'])
})

it('ends a check at its deadline, and ignores what it reports later', async () => {
  let wasAborted = false
  const slow = check(async (_, report, signal) => {
    report.ok('First.')
    await sleep(5_000, undefined, { signal }).catch(() => (wasAborted = signal.aborted))
    report.ok('Too late.')
  }, 50)
  expect(await findingsOf(slow)).toEqual([
    'ok First.',
    'error The check was not over after 0.05 seconds, and was stopped.',
  ])
  await sleep(0)
  expect(wasAborted).toBe(true)
})

it('waits for a check without a deadline', async () => {
  const patient = check(async (_, report) => {
    await sleep(20)
    report.ok('Done.')
  }, undefined)
  expect(await findingsOf(patient)).toEqual(['ok Done.'])
})
