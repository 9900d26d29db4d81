import { consoleOperations, operations } from '@svc/contract'
import { expect, it } from 'vitest'
import { worksOnFullDisk } from './frees-space.js'

const all = [...operations, ...consoleOperations]

it('every operation that deletes, revokes or ends something works on a full disk', () => {
  const freeing = all.filter(({ summary }) => /^(?:delete|discard|end|release|remove|revoke|sign)\b/i.test(summary))
  expect(freeing.length).toBeGreaterThan(12)
  expect(freeing.filter((op) => !worksOnFullDisk(op)).map(({ id }) => id)).toEqual([])
})

it('reads work on a full disk, and operations that add rows or bytes do not', () => {
  const worksOf = (word: string) =>
    all.filter(({ id }) => new RegExp(String.raw`\.\w*${word}$`, 'i').test(id)).map(worksOnFullDisk)
  for (const word of ['create', 'update', 'add', 'claim', 'import', 'upload', 'deploy', 'publish', 'store']) {
    expect(worksOf(word).length, word).toBeGreaterThan(0)
    expect(new Set(worksOf(word)), word).toEqual(new Set([false]))
  }
  expect(all.filter(({ method }) => method === 'GET').every(worksOnFullDisk)).toBe(true)
})
