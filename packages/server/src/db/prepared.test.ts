import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { prepared, preparedFor } from './prepared.js'

interface Key {
  readonly id: number
  readonly email: string
}

describe.each(['sqlite', 'postgres'] as const)('a prepared query on %s', (dialect) => {
  it('binds the values of each call in the order of its SQL', () => {
    const { sql: text, bind } = prepared((db, p: Key) =>
      db
        .selectFrom('account')
        .where('email', '=', p.email)
        .where('id', '=', p.id)
        .where('nickname', '=', '')
        .select('id'),
    ).for(dialect)
    expect(text).toMatch(dialect === 'postgres' ? /"id" = \$2/ : /"id" = \?/)
    expect(bind({ id: 7, email: 'a@example.com' })).toEqual(['a@example.com', 7, ''])
  })

  it.each([
    ['a spread', (p: Key) => ({ ...p })],
    ['a rest', ({ id: _, ...rest }: Key) => rest],
    ['a list of the keys', (p: Key) => Object.keys(p)],
    ['`in`', (p: Key) => 'id' in p],
    ['Object.hasOwn', (p: Key) => Object.hasOwn(p, 'id')],
    ['Object.assign', (p: Key) => Object.assign({}, p)],
    ['an assignment', (p: Key) => Object.assign(p, { id: 1 })],
    ['the parameters in a template', (p: Key) => `%${p as unknown as string}`],
    ['a parameter in a template', (p: Key) => `%${p.email}`],
    ['arithmetic', (p: Key) => p.id + 1],
    ['a comparison', (p: Key) => p.id > 1],
    ['an equality with conversion', (p: Key) => String(p.id) === '1'],
  ])('throws when it is built if its builder uses %s', (_, use) => {
    const query = prepared((db, p: Key) => {
      use(p)
      return db.selectFrom('account').select('id')
    })
    expect(() => query.for(dialect)).toThrow(/^The builder of a prepared query /)
  })

  it('accepts parameters within raw SQL', () => {
    const query = prepared((db, p: Key) => db.selectNoFrom(sql<number>`cast(${p.id} as integer)`.as('id')))
    expect(query.for(dialect).bind({ id: 3, email: '' })).toEqual([3])
  })
})

it('a query for one dialect is refused on the other', () => {
  const query = preparedFor('postgres', (db, p: Key) => db.selectFrom('account').where('id', '=', p.id).select('id'))
  expect(query.for('postgres').bind({ id: 3, email: '' })).toEqual([3])
  expect(() => query.for('sqlite')).toThrow('This query is for postgres alone.')
})
