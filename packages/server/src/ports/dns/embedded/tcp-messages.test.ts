import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { framed } from '../../../../test/dns-ask.js'
import { TcpMessages } from './tcp-messages.js'

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

function takeAll(messages: TcpMessages): string[] {
  const all: string[] = []
  for (let message = messages.take(); message !== undefined; message = messages.take())
    all.push(message.toString('hex'))
  messages.compact()
  return all
}

describe('the messages of a TCP stream', () => {
  it('the messages are the same for any division of the stream into chunks', () => {
    const lengths = fc.array(fc.oneof(fc.nat(40), fc.nat(6000)), { maxLength: 12 })
    const pieces = fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 9000 })), {
      minLength: 1,
      maxLength: 20,
    })
    fc.assert(
      fc.property(lengths, pieces, (sizes, cuts) => {
        const sent = sizes.map((size, n) => Buffer.alloc(size, n + 1))
        const stream = Buffer.concat(sent.map(framed))
        const messages = new TcpMessages()
        const got: string[] = []
        for (let at = 0, n = 0; at < stream.length; n++) {
          const piece = stream.subarray(at, at + cuts[n % cuts.length]!)
          messages.push(Buffer.from(piece))
          at += piece.length
          got.push(...takeAll(messages))
        }
        expect(got).toEqual(sent.map((message) => message.toString('hex')))
        expect(messages.hasWhole()).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  it('1 MB in single octets is read in less than a second', () => {
    const messages = new TcpMessages()
    const octet = Buffer.alloc(1, 0xff)
    const started = process.cpuUsage()
    let count = 0
    for (let n = 0; n < 1_000_000; n++) {
      messages.push(octet)
      if (messages.take() !== undefined) count++
      messages.compact()
    }
    expect(count).toBe(15)
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(1000)
  })

  it('a few remaining octets do not keep a large buffer in memory', async () => {
    const before = process.memoryUsage().arrayBuffers
    const all = Array.from({ length: 500 }, () => {
      const messages = new TcpMessages()
      messages.push(Buffer.concat([framed(Buffer.alloc(60_000)), Buffer.from([0, 9, 1])]))
      expect(messages.take()).toHaveLength(60_000)
      messages.compact()
      return messages
    })
    expect(all).toHaveLength(500)
    // 30 MB have arrived. `arrayBuffers` decreases some time after the collection.
    await vi.waitFor(() => {
      collectGarbage()
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5_000_000)
    })
    for (const messages of all) {
      messages.push(Buffer.alloc(8, 2))
      expect(messages.take()).toEqual(Buffer.from([1, ...Array<number>(8).fill(2)]))
    }
  })
})
