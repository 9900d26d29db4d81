import { expect, it } from 'vitest'
import type { Entry } from './palette-entries.js'
import { resultsOf, startEntries } from './palette-results.js'

const entry = (label: string, detail = '', words = ''): Entry => ({
  id: label,
  label,
  detail,
  words,
  icon: () => null,
  opens: label,
})

const entries = [
  entry('DNS'),
  entry('Claim a zone', 'DNS', 'new'),
  entry('Files'),
  entry('Upload files', 'Files', 'new'),
  entry('Revoke an API key', 'Account'),
  entry('Sign out other browsers', 'Account'),
  entry('Sign out'),
]

const labels = (text: string, found: readonly Entry[] = []) => resultsOf(text, entries, found).map(({ label }) => label)

it.each([
  ['file', ['Files', 'Upload files']],
  ['revoke a key', ['Revoke an API key']],
  ['DNS', ['DNS', 'Claim a zone']],
  ['sign out', ['Sign out', 'Sign out other browsers']],
  ['new', ['Claim a zone', 'Upload files']],
  ['new zone', ['Claim a zone']],
  ['nothing', []],
])('finds by labels first, then by areas and other words: %s', (text, expected) => {
  expect(labels(text)).toEqual(expected)
})

it('has what the server has found after labels, and before areas', () => {
  expect(labels('dns', [entry('dns-notes.txt')])).toEqual(['DNS', 'dns-notes.txt', 'Claim a zone'])
})

it('shows a fixed number of entries at most, with room for what the server has found', () => {
  const many = Array.from({ length: 40 }, (_, n) => entry(`a${String(n)}`))
  const results = resultsOf('a', many, [entry('of the server')])
  expect(results).toHaveLength(16)
  expect(results[6]?.label).toBe('of the server')
})

it('repeats nothing that was opened lately', () => {
  const start = startEntries([entry('Files')], entries)
  expect(start.map(({ label }) => label)).toEqual([
    'DNS',
    'Claim a zone',
    'Upload files',
    'Revoke an API key',
    'Sign out other browsers',
    'Sign out',
  ])
})
