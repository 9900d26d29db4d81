import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import { unsubscribeLinks } from './links.js'

describe.each(databaseKinds)('links that switch off e-mails on %s', (kind) => {
  let site: TwoProcesses
  beforeAll(async () => {
    site = await twoProcesses(kind)
  })
  afterAll(() => site.stop())

  it('work in every process, and only for their account and kind', async () => {
    const [one, other] = [unsubscribeLinks(site.db), unsubscribeLinks(site.db)]
    const [key, twin] = await Promise.all([one.keyFor(7, 'new-browser'), other.keyFor(7, 'new-browser')])
    expect(key).toBe(twin)
    expect(await other.read(key)).toEqual({ accountId: 7, kind: 'new-browser' })
    for (const wrong of [
      key.replace(/^7/, '8'),
      key.replace('new-browser', 'form-submission'),
      key.replace('new-browser', 'password-reset'),
      `${key.slice(0, -1)}${key.endsWith('A') ? 'E' : 'A'}`,
      key.slice(0, -1),
      '',
      '7.new-browser.',
    ])
      expect(await one.read(wrong), wrong).toBeUndefined()
    expect(await one.read(await one.keyFor(7, 'password-reset'))).toBeUndefined()
  })
})
