import { expect, it } from 'vitest'
import { RowChecks } from '../../../commands/row-checks.js'

/** What the rows of webhooks must be that come from a file. */

const checks = new RowChecks({ zoneOf: () => undefined, serverNames: { sitesDomain: 'sites.example.net', hosts: [] } })

const row = {
  id: 1,
  account_id: 1,
  tag: '0123456789abcdef',
  url: 'https://example.com/',
  events: '["dns"]',
  enabled: 1,
  begins_after: 0,
  dropped: 0,
  paused_until: null,
  created_at: 1,
  master_key_id: 'a'.repeat(16),
  sealed: Buffer.alloc(32),
}

it('a row as requests store it has no problem', () => {
  expect(checks.problemOf('account_webhook', row)).toBeUndefined()
})

it.each([
  [{ url: 'https://example.com' }, 'url must be in the form'],
  [{ url: 'ftp://example.com/' }, 'url must be an http or https URL'],
  [{ events: '["dns","dns"]' }, 'events must be sorted'],
  [{ events: '["x"]' }, 'events must have areas'],
  [{ events: '[1]' }, 'events has another form'],
  [{ tag: 'x' }, 'tag'],
])('a row with %o is a problem: %s', (changes, problem) => {
  expect(checks.problemOf('account_webhook', { ...row, ...changes })).toContain(problem)
})
