import { describe, expect, it } from 'vitest'
import { areas, isOperation, operations } from '../src/areas/index.js'
import { consoleAreas, consoleOperations } from '../src/console/index.js'
import { errorStatus, openErrorCodes } from '../src/errors.js'
import {
  additionKey,
  areaOf,
  errorsOf,
  nameOf,
  openKey,
  placeholders,
  toolNameOf,
  type Operation,
} from '../src/operation.js'
import { at, find, inputs, plain, type Schema } from './operations.js'
import { additions, pathKeys, rows, type Keys } from './specification.js'

const every = [...operations, ...consoleOperations]
const label = ({ method, path }: Pick<Operation, 'method' | 'path'>) => `${method} ${path}`

describe('the operations', () => {
  it('the operations have exactly the methods and paths of section 4; others are marked as additions', () => {
    const specified = operations.filter((op) => !op.addition)
    expect(specified.map(label).sort()).toEqual(rows.map(label).sort())
  })

  it('the additions have exactly the methods and paths of their table', () => {
    expect(
      operations
        .filter((op) => op.addition)
        .map(label)
        .sort(),
    ).toEqual(additions.map(label).sort())
  })

  it.each([...rows, ...additions].map((row) => [label(row), row] as const))(
    '%s requires the scope of its table',
    (_, row) => {
      const scope = { public: 'public', 'any token': 'token' }[row.scope] ?? { anyOf: row.scope.split(' | ') }
      expect(find(row).access).toEqual(scope)
    },
  )

  it('the operations are in areas in the order of the specification, and then of the additions', () => {
    expect(Object.keys(areas)).toEqual([...new Set([...rows, ...additions].map((row) => areaOf(find(row))))])
    expect([...new Set(operations.map(areaOf))]).toEqual(Object.keys(areas))
  })
})

const type = (schema: Schema | undefined) => schema?.type ?? (schema?.enum ? typeof schema.enum[0] : undefined)

/** Checks that the shown keys are declared as shown, and that all others are marked as open. */
function checkKeys(schema: Schema | undefined, keys: Keys) {
  const { properties = {}, required = [] } = schema ?? {}
  for (const [name, shown] of Object.entries(keys)) {
    const property = properties[name]
    if (shown === 'named') expect(property, name).toHaveProperty([openKey])
    else
      expect({ name, type: type(property), open: property?.[openKey] }).toEqual({ name, type: shown.replace('?', '') })
    expect({ name, required: required.includes(name) }).toEqual({ name, required: !shown.endsWith('?') })
  }
  if (schema?.[openKey] !== undefined) return
  for (const [name, property] of Object.entries(properties))
    if (!(name in keys) && property[additionKey] !== true)
      expect(property, `${name} is not shown and not marked as open`).toHaveProperty([openKey])
}

describe('fields', () => {
  it.each(rows.map((row) => [label(row), row] as const))(
    '%s has the fields that section 4 shows; others are marked as open or as additions',
    (_, row) => {
      const op = find(row)
      const inPath = Object.fromEntries(placeholders(row.path).map((name) => [name, pathKeys[name] ?? 'named']))
      checkKeys(plain(op.params), inPath)
      checkKeys(plain(op.query), row.query ?? {})
      checkKeys(plain(op.body), row.body ?? {})
      checkKeys(plain(op.data), row.data ?? {})
    },
  )

  it.each(consoleOperations.map((op) => [op.id, op] as const))('%s of the console is marked as open', (_, op) => {
    expect(op.open).toBeDefined()
    for (const schema of [op.params, op.query, op.body, op.data]) checkKeys(plain(schema), {})
  })

  it('every mark is a sentence', () => {
    const reasons = every.flatMap((op) => [
      op.open ?? [],
      Object.values(op.otherBodies ?? {}),
      marksIn([op.params, op.query, op.body, op.data]),
    ])
    for (const reason of [...reasons.flat(), ...Object.values(openErrorCodes)])
      expect(reason).toMatch(/^[A-Z0-9`].+\.$/)
  })
})

/** Every mark in a schema, at any depth. */
function marksIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => (key === openKey ? [String(inner)] : marksIn(inner)))
}

describe('names', () => {
  it.each(Object.entries({ ...areas, ...consoleAreas }))(
    '%s exports each operation under its own name',
    (area, module) => {
      const exported = Object.entries<unknown>(module).filter((entry): entry is [string, Operation] =>
        isOperation(entry[1]),
      )
      expect(exported.map(([name, op]) => [area, name, op.id])).toEqual(
        exported.map(([name, op]) => [areaOf(op), nameOf(op), `${area}.${name}`]),
      )
    },
  )

  it.each([
    ['ids', (op: Operation) => op.id],
    ['methods and paths', label],
    ['tool names', toolNameOf],
  ])('%s are unique', (_, name) => {
    const names = every.map(name)
    expect(names).toEqual([...new Set(names)])
  })

  it.each(every.map((op) => [op.id, op] as const))('%s has valid names, a valid path and a summary', (_, op) => {
    expect(op.id).toMatch(/^[a-z]+\.[a-z][a-zA-Z]*$/)
    expect(toolNameOf(op)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(Object.keys(op.params?.properties ?? {})).toEqual(placeholders(op.path))
    const flat = inputs(op).flatMap((schema) => Object.keys(schema.properties ?? {}))
    expect(flat).toEqual([...new Set(flat)])
    expect(flat.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([])
    expect(op.path).toMatch(consoleOperations.includes(op) ? /^\/console\/api\// : /^\/v1(\/|$)|^\/llms\.txt$/)
    expect(op.summary).toMatch(/^[A-Z].*[^.]$/)
  })
})

describe('bodies', () => {
  it.each(every.filter((op) => op.body).map((op) => [op.id, plain(op.body)] as const))(
    'the body of %s rejects unknown fields',
    (_, body) => {
      expect(openObjects(body)).toEqual([])
    },
  )
})

/** The objects in a schema that accept unknown fields. */
function openObjects(schema: Schema | undefined, path = 'body'): string[] {
  if (schema === undefined) return []
  const own = schema.type === 'object' && schema.additionalProperties !== false ? [path] : []
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    openObjects(field, `${path}.${name}`),
  )
  return [...own, ...fields, ...openObjects(schema.items, `${path}[]`)]
}

describe('errors', () => {
  it('the codes of all errors are in the table of codes', () => {
    const codes = every.flatMap(errorsOf)
    expect(codes.filter((code) => !(code in errorStatus))).toEqual([])
  })

  it.each(operations.filter((op) => areaOf(op) === 'dns').map((op) => [op.id, op] as const))(
    '%s declares forbidden_zone, not_found and upstream_error where they can occur',
    (_, op) => {
      const writesToProvider = op.id.startsWith('dns.record') && op.method !== 'GET'
      if (op.path.includes('{zone}')) expect(op.errors).toContain('forbidden_zone')
      if (op.path.includes('{id}')) expect(op.errors).toContain('not_found')
      if (writesToProvider) expect(op.errors).toContain('upstream_error')
    },
  )

  const naming = operations.filter(
    (op) => areaOf(op) !== 'dns' && inputs(op).some((schema) => at(schema, 'id', 'slug')),
  )
  it.each(naming.filter((op) => !['publish', 'create'].includes(nameOf(op))).map((op) => [op.id, op] as const))(
    'the errors of %s include 404 for a nonexistent id and 403 for one of another account (section 1)',
    (_, op) => {
      expect(op.errors).toEqual(expect.arrayContaining(['not_found', 'forbidden']))
    },
  )
})
