import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { slots } from './slots.js'

/** A task that runs until `end` is called. */
function work(log: string[], name: string) {
  let end: (error?: Error) => void = () => undefined
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => {
      if (error) reject(error)
      else resolve()
    }
  })
  const run = async () => {
    log.push(name)
    await ended
    return name
  }
  return { run, end: (error?: Error) => end(error) }
}

it('runs as many tasks as there are slots, then the queued ones in their order', async () => {
  const log: string[] = []
  const works = ['a', 'b', 'c', 'd'].map((name) => work(log, name))
  const run = slots(2, 8)
  const results = works.map((each) => run(each.run))
  await nextTurn()
  expect(log).toEqual(['a', 'b'])
  works[1]!.end()
  expect(await results[1]).toBe('b')
  await nextTurn()
  expect(log).toEqual(['a', 'b', 'c'])
  for (const each of works) each.end()
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd'])
  expect(log).toEqual(['a', 'b', 'c', 'd'])
})

it('gives the slot of a failed task to the next one', async () => {
  const log: string[] = []
  const [first, second] = [work(log, 'first'), work(log, 'second')]
  const run = slots(1, 8)
  const results = [run(first.run), run(second.run)]
  first.end(new Error('out of memory'))
  await expect(results[0]).rejects.toThrow('out of memory')
  second.end()
  expect(await results[1]).toBe('second')
})

it('refuses a task that does not fit into the queue, before the task begins', async () => {
  const log: string[] = []
  const [running, queued, refused] = [work(log, 'running'), work(log, 'queued'), work(log, 'refused')]
  const run = slots(1, 1)
  const results = [run(running.run), run(queued.run)]
  await expect(run(refused.run)).rejects.toThrow('1 tasks are already queued.')
  running.end()
  queued.end()
  await Promise.all(results)
  expect(log).toEqual(['running', 'queued'])
})
