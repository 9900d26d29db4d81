import { expect, it } from 'vitest'
import { linesOf } from './lines.js'

async function read(...chunks: readonly string[]): Promise<string[]> {
  const lines: string[] = []
  const bytes = async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  for await (const some of linesOf(bytes())) lines.push(...some)
  return lines
}

it('lines are whole, wherever the chunks end', async () => {
  expect(await read('a', 'b\nc', '\n', '\n', 'd\ne\nf')).toEqual(['ab', 'c', '', 'd', 'e', 'f'])
  expect(await read()).toEqual([])
  expect(await read('a\n')).toEqual(['a'])
})

it('a line without an end is dropped, with a mark in its place, and the next one is read', async () => {
  const chunks = Array.from({ length: 1_000 }, () => 'x'.repeat(10_000))
  const [dropped, next] = await read(...chunks, 'tail\nnext\n')
  expect(dropped).toMatch(/^\0.{0,30000}$/)
  expect(next).toBe('next')
})
