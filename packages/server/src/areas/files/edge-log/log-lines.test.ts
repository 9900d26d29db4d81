import { describe, expect, it } from 'vitest'
import { linesOf, readLine } from './log-lines.js'

const isContentHost = (host: string) => host === 'content.example'

const read = (line: string) => readLine(line.replaceAll('|', '\t'), isContentHost)

describe('a line of the log', () => {
  it.each([
    ['GET|content.example|/s/key/a.txt|200|12|hit', 'key', { hits: 1, misses: 0, bytesServed: 12 }],
    ['GET|content.example|/s/key/a.txt|200|12|miss', 'key', { hits: 0, misses: 1, bytesServed: 12 }],
    [
      'GET|content.example|/s/key/|206|999999999999999|hit',
      'key',
      { hits: 1, misses: 0, bytesServed: 999999999999999 },
    ],
    ['HEAD|content.example|/s/key/a|200|-|hit', 'key', { hits: 1, misses: 0, bytesServed: 0 }],
    ['GET|content.example|/s/key/a|304|-|-', 'key', { hits: 0, misses: 0, bytesServed: 0 }],
    ['GET|content.example|/s/key/a|412|0|miss', 'key', { hits: 0, misses: 1, bytesServed: 0 }],
    ['GET|content.example|/s/key/a|416|0|miss', 'key', { hits: 0, misses: 1, bytesServed: 0 }],
    ['GET|content.example|/s/k%65y/a%ff|200|1|hit', 'key', { hits: 1, misses: 0, bytesServed: 1 }],
    ['GET|content.example|/s/k%e/a|200|1|hit', 'k%e', { hits: 1, misses: 0, bytesServed: 1 }],
  ] as const)('%s counts for the link', (line, key, counts) => {
    expect(read(line)).toEqual({ key, traffic: { requests: 1, ...counts } })
  })

  it.each([
    'GET|api.example|/s/key/a|200|1|hit',
    'GET|-|/s/key/a|200|1|hit',
    'GET|content.example|/p/key/a|200|1|hit',
    'GET|content.example|/s/key|200|1|hit',
    'GET|content.example|/s//a|200|1|hit',
    'POST|content.example|/s/key/a|405|1|miss',
    'GET|content.example|/s/key/a|404|1|miss',
    'GET|content.example|/s/key/a|503|1|miss',
    '-|-|-|400|0|-',
  ])('%s is another request', (line) => {
    expect(read(line)).toBe('other')
  })

  it.each([
    '',
    'GET|content.example|/s/key/a|200|1',
    'GET|content.example|/s/key/a|200|1|hit|',
    'GET|content.example|/s/key/a|200|1|pass',
    'GET|content.example|/s/key/a|2000|1|hit',
    'GET|content.example|/s/key/a|200|-1|hit',
    'GET|content.example|/s/key/a|200|1e3|hit',
    'GET|content.example|/s/key/a|200|1234567890123456|hit',
    '|content.example|/s/key/a|200|1|hit',
    'GET|content.example|/s/key/a|200|1|hit\r',
    '127.0.0.1 - - [22/Nov/2026:03:40:00 +0000] "GET http://h/s/k/a HTTP/1.1" 200 5 "-" "curl"',
  ])('"%s" is malformed', (line) => {
    expect(read(line)).toBe('malformed')
  })
})

describe('linesOf', () => {
  async function readAll(...chunks: readonly string[]): Promise<string[]> {
    const lines: string[] = []
    const bytes = async function* () {
      for (const chunk of chunks) yield Buffer.from(chunk)
    }
    for await (const some of linesOf(bytes())) lines.push(...some)
    return lines
  }

  it('lines are whole, wherever the chunks end', async () => {
    expect(await readAll('a', 'b\nc', '\n', '\n', 'd\ne\nf')).toEqual(['ab', 'c', '', 'd', 'e', 'f'])
    expect(await readAll()).toEqual([])
    expect(await readAll('a\n')).toEqual(['a'])
  })

  it('a line without an end is dropped, with a mark in its place, and the next one is read', async () => {
    const chunks = Array.from({ length: 1_000 }, () => 'x'.repeat(10_000))
    const [dropped, next] = await readAll(...chunks, 'tail\nnext\n')
    expect(dropped).toMatch(/^\0.{0,30000}$/)
    expect(next).toBe('next')
  })
})
