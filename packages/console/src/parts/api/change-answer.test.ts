import { afterEach, expect, it } from 'vitest'
import { changeAnswer } from './change-answer.js'
import { queryClient } from './query-client.js'

/** Changes of answers while they are read. */

const queryKey = ['list']
const add = (name: string) => changeAnswer<string[]>(queryKey, (list) => (list.includes(name) ? list : [...list, name]))
const shown = () => queryClient.getQueryData<string[]>(queryKey)
const settled = () => new Promise((resolve) => setTimeout(resolve))

afterEach(() => queryClient.clear())

it('changes an answer in memory, and none that is missing', () => {
  add('a')
  expect(shown()).toBeUndefined()
  queryClient.setQueryData(queryKey, ['x'])
  add('a')
  expect(shown()).toEqual(['x', 'a'])
})

it('keeps its changes when a read answers that began before them', async () => {
  queryClient.setQueryData(queryKey, ['x'])
  let answer: (list: string[]) => void = () => undefined
  const queryFn = () => new Promise<string[]>((resolve) => (answer = resolve))
  const read = queryClient.query({ queryKey, queryFn, staleTime: 0 })
  await settled()
  add('a')
  add('b')
  answer(['x', 'y'])
  await read
  await settled()
  expect(shown()).toEqual(['x', 'y', 'a', 'b'])
})
