import { Linter } from 'eslint'
import * as regexp from 'eslint-plugin-regexp'
import { describe, expect, it } from 'vitest'
import { operations } from '../src/areas/index.js'
import { consoleOperations } from '../src/console/index.js'
import { maxBodyBytesOf } from '../src/operation.js'
import { find, inputs, type Schema } from './operations.js'

/** Checking input takes time in proportion to its length: no schema lets a caller choose a quadratic check. */

const everyOperation = [...operations, ...consoleOperations]

/** A schema and all that it is made of. */
const partsOf = (schema: unknown): Schema[] =>
  typeof schema === 'object' && schema !== null ? [schema, ...Object.values(schema).flatMap(partsOf)] : []

const parts = everyOperation.flatMap((op) => inputs(op).flatMap(partsOf)) as (Schema & Record<string, unknown>)[]

const rules: Linter.RulesRecord = {
  'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
  'regexp/no-super-linear-move': ['error', { report: 'potential' }],
}

/** What the linter says of a pattern: in a schema it is a string, which the linter of the code does not look into. */
const complaints = (pattern: string): string[] =>
  new Linter()
    .verify(`new RegExp(${JSON.stringify(pattern)}, 'u').test(given)`, [{ plugins: { regexp }, rules }])
    .map(({ message }) => message)

describe('the check of input is linear', () => {
  const patterns = [...new Set(parts.flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : [])))]

  it('there are patterns, and a quadratic one would be found', () => {
    expect(patterns.length).toBeGreaterThan(3)
    expect(complaints('^(a+)+$')).not.toEqual([])
  })

  it.each(patterns)('of the pattern %s', (pattern) => expect(complaints(pattern)).toEqual([]))

  it('of lists without repeats, which are compared pair by pair: each has a bound', () => {
    const unique = parts.filter(({ uniqueItems }) => uniqueItems === true)
    expect(unique).not.toEqual([])
    for (const { maxItems } of unique) expect(maxItems).toBeLessThanOrEqual(100)
  })
})

describe('the largest body', () => {
  const sizeOf = (id: string) => maxBodyBytesOf(everyOperation.find((op) => op.id === id)!)

  it('is 16 KiB where anyone may call, and where no fields are taken', () => {
    expect(sizeOf('session.signIn')).toBe(16_384)
    expect(sizeOf('dns.zoneVerify')).toBe(16_384)
    expect(sizeOf('dns.recordDelete')).toBe(16_384)
    for (const op of everyOperation.filter(({ access }) => access === 'public'))
      expect(maxBodyBytesOf(op)).toBeLessThanOrEqual(16_384)
  })

  it('is a mebibyte elsewhere, unless the operation says otherwise', () => {
    expect(sizeOf('dns.recordCreate')).toBe(1_048_576)
    expect(maxBodyBytesOf({ ...find({ method: 'POST', path: '/v1/dns/zones' }), maxBodyBytes: 7 })).toBe(7)
  })
})
