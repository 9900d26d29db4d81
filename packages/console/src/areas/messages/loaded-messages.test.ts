import { expect, it } from 'vitest'
import { matches, without, withNewest, type Loaded, type Message, type MessagePage } from './loaded-messages.js'

const message = (id: number, fields: Partial<Message> = {}): Message => ({
  id,
  from: '+1',
  to: null,
  body: 'text',
  sim: null,
  device: null,
  received_at: '2026-11-20T09:30:00.000Z',
  key_id: 1,
  ...fields,
})

const page = (ids: readonly number[], next: number | null, total: number): MessagePage => ({
  messages: ids.map((id) => message(id)),
  next,
  total,
})

const loaded: Loaded = { pages: [page([6, 5], 5, 6), page([4, 3], 3, 6)], pageParams: [undefined, 5] }

const idsIn = ({ pages }: Loaded) => pages.map(({ messages }) => messages.map(({ id }) => id))

it('returns the same object if nothing is new', () => {
  expect(withNewest(loaded, page([6, 5], 5, 6))).toBe(loaded)
})

it('adds new messages to the first page', () => {
  const now = withNewest(loaded, page([8, 7, 6, 5], 5, 8))
  expect(idsIn(now)).toEqual([
    [8, 7, 6, 5],
    [4, 3],
  ])
  expect(now.pages[0]?.total).toBe(8)
})

it('starts again if a whole page is new, because there may be messages in between', () => {
  expect(withNewest(loaded, page([20, 19], 19, 18))).toEqual({
    pages: [page([20, 19], 19, 18)],
    pageParams: [undefined],
  })
})

it('adds the first messages of an account', () => {
  const empty: Loaded = { pages: [page([], null, 0)], pageParams: [undefined] }
  expect(idsIn(withNewest(empty, page([2, 1], null, 2)))).toEqual([[2, 1]])
})

it('takes over the number of messages if old ones were removed', () => {
  const now = withNewest(loaded, page([6, 5], 5, 4))
  expect([idsIn(now), now.pages[0]?.total]).toEqual([
    [
      [6, 5],
      [4, 3],
    ],
    4,
  ])
})

it('drops messages that the newest page does not have any more', () => {
  const now = withNewest(loaded, page([7, 6, 4], 4, 5))
  expect([idsIn(now), now.pages[0]?.total]).toEqual([
    [
      [7, 6],
      [4, 3],
    ],
    5,
  ])
  expect(idsIn(withNewest(loaded, page([], null, 0)))).toEqual([[], []])
  expect(idsIn(withNewest(loaded, page([3], null, 1)))).toEqual([[], [3]])
})

it('no longer counts messages that were removed', () => {
  const now = without(loaded, new Set([6, 3, 99]))
  expect([idsIn(now), now.pages[0]?.total]).toEqual([[[5], [4]], 4])
})

it.each([
  ['', true],
  ['bank', true],
  ['BANK code', true],
  ['pixel', true],
  ['0100', true],
  ['bank iphone', false],
])('a search for %j finds the message: %s', (search, isFound) => {
  const given = message(1, { from: '+15550100', body: 'Your Bank code', device: 'Pixel 8' })
  expect(matches(given, search)).toBe(isFound)
})
