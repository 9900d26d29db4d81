import { describe, expect, it } from 'vitest'
import { changedFile, type StoredFile } from './file.js'

const file: StoredFile = {
  id: 7,
  accountId: 1,
  name: 'a.txt',
  mediaType: 'text/plain',
  size: 5,
  sha256: 'x',
  shareKey: null,
  edgeTtl: 60,
  isServed: true,
  edgeVersion: 0,
  createdAt: 1,
  updatedAt: 1,
}
const shared: StoredFile = { ...file, shareKey: 'old', edgeVersion: 4 }
const now = 9

describe('changedFile', () => {
  it.each([
    ['nothing', file, {}],
    ['its own name and type', shared, { name: 'a.txt', mediaType: 'text/plain' }],
    ['sharing a shared file: it keeps its key', shared, { shareKey: 'new' }],
    ['unsharing a file that is not shared', file, { shareKey: null }],
  ])('the changed file is the same object for %s', (_, before, changes) => {
    expect(changedFile(before, changes, now)).toBe(before)
  })

  it.each([
    ['a name', { name: 'b.txt' }],
    ['a type', { mediaType: 'text/html' }],
  ])('%s of a file that was never shared leaves its version 0', (_, changes) => {
    expect(changedFile(file, changes, now)).toEqual({ ...file, ...changes, updatedAt: now })
  })

  it.each([
    ['a name', { name: 'b.txt' }],
    ['a type', { mediaType: 'text/html' }],
    ['the end of sharing', { shareKey: null }],
    ['several', { name: 'b.txt', mediaType: 'text/html', shareKey: null }],
  ])('%s of a shared file is a new version', (_, changes) => {
    expect(changedFile(shared, changes, now)).toEqual({ ...shared, ...changes, edgeVersion: 5, updatedAt: now })
  })

  it('a file that was shared before gets a new version with a new name', () => {
    const before = { ...shared, shareKey: null }
    expect(changedFile(before, { name: 'b.txt' }, now).edgeVersion).toBe(5)
  })

  it('the first share is version 1, and a later one has a new key and is served', () => {
    expect(changedFile(file, { shareKey: 'new' }, now)).toEqual({
      ...file,
      shareKey: 'new',
      edgeVersion: 1,
      updatedAt: now,
    })
    const stopped = { ...shared, shareKey: null, isServed: false }
    expect(changedFile(stopped, { shareKey: 'new' }, now)).toMatchObject({
      shareKey: 'new',
      edgeVersion: 5,
      isServed: true,
    })
  })

  it('a shared file that is not served stays so when it is renamed', () => {
    expect(changedFile({ ...shared, isServed: false }, { name: 'b.txt' }, now).isServed).toBe(false)
  })
})
