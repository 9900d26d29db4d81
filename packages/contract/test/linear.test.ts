import { Linter } from 'eslint'
import * as regexp from 'eslint-plugin-regexp'
import { describe, expect, it } from 'vitest'
import { operations } from '../src/areas/index.js'
import { consoleOperations } from '../src/console/index.js'
import { maxBodyBytesOf } from '../src/operation.js'
import { find, inputs, type Schema } from './operations.js'

/** Validation takes linear time: no schema has a check that a caller can make quadratic. */

const everyOperation = [...operations, ...consoleOperations]

/** A schema and all its parts. */
const partsOf = (schema: unknown): Schema[] =>
  typeof schema === 'object' && schema !== null ? [schema, ...Object.values(schema).flatMap(partsOf)] : []

const parts = everyOperation.flatMap((op) => inputs(op).flatMap(partsOf)) as (Schema & Record<string, unknown>)[]

const rules: Linter.RulesRecord = {
  'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
  'regexp/no-super-linear-move': ['error', { report: 'potential' }],
}

/** The findings of the linter for a pattern. In a schema a pattern is a string, which the lint of the code does not check. */
const findings = (pattern: string): string[] =>
  new Linter()
    .verify(`new RegExp(${JSON.stringify(pattern)}, 'u').test(given)`, [{ plugins: { regexp }, rules }])
    .map(({ message }) => message)

describe('validation takes linear time', () => {
  const patterns = [...new Set(parts.flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : [])))]

  it('the check has patterns and finds a quadratic one', () => {
    expect(patterns.length).toBeGreaterThan(3)
    expect(findings('^(a+)+$')).not.toEqual([])
  })

  it.each(patterns)('the pattern %s takes linear time', (pattern) => expect(findings(pattern)).toEqual([]))

  it('lists with uniqueItems, which are compared pair by pair, have at most 100 items', () => {
    const unique = parts.filter(({ uniqueItems }) => uniqueItems === true)
    expect(unique).not.toEqual([])
    for (const { maxItems } of unique) expect(maxItems).toBeLessThanOrEqual(100)
  })
})

describe('the largest body', () => {
  const sizeOf = (id: string) => maxBodyBytesOf(everyOperation.find((op) => op.id === id)!)

  it('the largest body is 16 KiB without a token, and without fields', () => {
    expect(sizeOf('session.signIn')).toBe(16_384)
    expect(sizeOf('dns.zoneVerify')).toBe(16_384)
    expect(sizeOf('dns.recordDelete')).toBe(16_384)
    for (const op of everyOperation.filter(({ access }) => access === 'public'))
      expect(maxBodyBytesOf(op)).toBeLessThanOrEqual(16_384)
  })

  it('the largest body is 1 MiB for other operations, or the maxBodyBytes of the operation', () => {
    expect(sizeOf('dns.recordCreate')).toBe(1_048_576)
    expect(maxBodyBytesOf({ ...find({ method: 'POST', path: '/v1/dns/zones' }), maxBodyBytes: 7 })).toBe(7)
  })
})
