import { describe, expect, it } from 'vitest'
import { queryPacket } from '../../../../test/dns-ask.js'
import { dispatched, drop, Query } from './query.js'

/** A packet with these flags and counts in its header, and the given octets after it. */
function packet(
  flags: number,
  counts: readonly [number, number, number, number],
  ...rest: (readonly number[])[]
): Buffer {
  const header = Buffer.alloc(12)
  header.writeUInt16BE(flags, 2)
  counts.forEach((count, n) => header.writeUInt16BE(count, 4 + 2 * n))
  return Buffer.concat([header, Buffer.from(rest.flat())])
}

const name = [3, 0x57, 0x77, 0x57, 1, 0x61, 0]
const question = [...name, 0, 1, 0, 1]
const opt = (
  options: readonly number[] = [],
  { version = 0, owner = [0] }: { version?: number; owner?: number[] } = {},
) => [...owner, ...[0, 41, 0x04, 0xd0, 0, version, 0x80, 0], ...[options.length >> 8, options.length & 255], ...options]
const tsig = [1, 0x6b, 0, 0, 250, 0, 255, 0, 0, 0, 0, 0, 2, 9, 9]

const soa = [...name, 0, 6, 0, 1, 0, 0, 0, 0, 0, 22, 0, 0, ...Array<number>(20).fill(1)]
const ixfr = [...name, 0, 251, 0, 1]

const query = new Query()

describe('parse()', () => {
  it('reads the question and the OPT', () => {
    expect(query.parse(packet(0x0100, [1, 0, 0, 1], question, opt()))).toBe(0)
    expect(query).toMatchObject({
      key: '\x03www\x01a',
      type: 1,
      questionEnd: 23,
      edns: true,
      udpSize: 1232,
      dnssecOk: true,
    })
  })

  it('resets all fields for the next packet', () => {
    query.parse(packet(0, [1, 0, 0, 1], question, opt()))
    expect(query.parse(packet(0, [1, 0, 0, 0], question))).toBe(0)
    expect(query).toMatchObject({ edns: false, udpSize: 512, dnssecOk: false })
  })

  it('accepts a name of 255 octets, and rejects a longer one', () => {
    const labels = [
      ...Array<number[]>(3).fill([63, ...Array<number>(63).fill(0x61)]),
      [61, ...Array<number>(61).fill(0x61)],
    ]
    expect(query.parse(packet(0, [1, 0, 0, 0], labels.flat(), [0, 0, 1, 0, 1]))).toBe(0)
    expect(query.key).toHaveLength(254)
    labels[3] = [62, ...Array<number>(62).fill(0x61)]
    expect(query.parse(packet(0, [1, 0, 0, 0], labels.flat(), [0, 0, 1, 0, 1]))).toBe(1)
  })

  it.each<[string, number, Buffer]>([
    ['no header', drop, Buffer.alloc(11)],
    ['an empty packet', drop, Buffer.alloc(0)],
    ['an answer', drop, packet(0x8000, [1, 0, 0, 0], question)],
    ['an answer with an unassigned opcode', drop, packet(0xf800, [1, 0, 0, 0], question)],
    ['NOTIFY', dispatched, packet(0x2000, [1, 0, 0, 0], question)],
    ['UPDATE, whose counts mean other things', dispatched, packet(0x2800, [1, 9, 9, 9], question)],
    ['an unassigned opcode', 4, packet(0x7800, [1, 0, 0, 0], question)],
    ['no question', 1, packet(0, [0, 0, 0, 0])],
    ['two questions', 1, packet(0, [2, 0, 0, 0], question, question)],
    ['65535 questions', 1, packet(0, [65_535, 0, 0, 0], question)],
    ['65535 answers', 1, packet(0, [1, 65_535, 0, 0], question)],
    ['a record in the authority section', 1, packet(0, [1, 0, 1, 0], question, opt())],
    ['65535 additional records', 1, packet(0, [1, 0, 0, 65_535], question)],
    ['a question that ends in its name', 1, packet(0, [1, 0, 0, 0], name.slice(0, 3))],
    ['a name without an end', 1, packet(0, [1, 0, 0, 0], name.slice(0, -1))],
    ['a question without a class', 1, packet(0, [1, 0, 0, 0], question.slice(0, -2))],
    ['a name that points at itself', 1, packet(0, [1, 0, 0, 0], [0xc0, 12, 0, 1, 0, 1])],
    ['a label of an unassigned type', 1, packet(0, [1, 0, 0, 0], [0x41, 1, 0, 0, 1, 0, 1])],
    ['octets after the question', 1, packet(0, [1, 0, 0, 0], question, [0])],
    ['octets after the OPT', 1, packet(0, [1, 0, 0, 1], question, opt(), [0])],
    ['a missing OPT', 1, packet(0, [1, 0, 0, 1], question)],
    ['an OPT that is longer than the packet', 1, packet(0, [1, 0, 0, 1], question, opt([0, 3, 0, 9]).slice(0, -1))],
    ['an option that is longer than the OPT', 1, packet(0, [1, 0, 0, 1], question, opt([0, 3, 0, 9]))],
    ['half an option', 1, packet(0, [1, 0, 0, 1], question, opt([0, 3, 0]))],
    ['two OPTs', 1, packet(0, [1, 0, 0, 2], question, opt(), opt())],
    ['an OPT with a name', 1, packet(0, [1, 0, 0, 1], question, opt([], { owner: [1, 0x61, 0] }))],
    ['EDNS version 1', 16, packet(0, [1, 0, 0, 1], question, opt([], { version: 1 }))],
    ['an unassigned option', 0, packet(0, [1, 0, 0, 1], question, opt([0xfd, 0xe9, 0, 2, 7, 7]))],
    ['a signature', dispatched, packet(0, [1, 0, 0, 1], question, tsig)],
    ['an OPT and a signature', dispatched, packet(0, [1, 0, 0, 2], question, opt(), tsig)],
    ['class CH', 5, packet(0, [1, 0, 0, 0], [...name, 0, 16, 0, 3])],
    ['class ANY', 5, packet(0, [1, 0, 0, 0], [...name, 0, 1, 0, 255])],
    ['AXFR', dispatched, packet(0, [1, 0, 0, 0], [...name, 0, 252, 0, 1])],
    ['IXFR without an SOA', dispatched, packet(0, [1, 0, 0, 0], ixfr)],
    ['IXFR with an SOA', dispatched, packet(0, [1, 0, 1, 0], ixfr, soa)],
    ['IXFR with an SOA, an OPT and a signature', dispatched, packet(0, [1, 0, 1, 2], ixfr, soa, opt(), tsig)],
    ['IXFR with two SOAs', 1, packet(0, [1, 0, 2, 0], ixfr, soa, soa)],
    ['IXFR with a record that is not an SOA', 1, packet(0, [1, 0, 1, 0], ixfr, tsig)],
    ['IXFR with an SOA that is cut off', 1, packet(0, [1, 0, 1, 0], ixfr, soa.slice(0, -1))],
    ['IXFR with a missing SOA', 1, packet(0, [1, 0, 1, 0], ixfr)],
    ['IXFR with octets after its SOA', 1, packet(0, [1, 0, 1, 0], ixfr, soa, [0])],
    ['IXFR of EDNS version 1', 16, packet(0, [1, 0, 1, 1], ixfr, soa, opt([], { version: 1 }))],
    ['AXFR with an SOA', 1, packet(0, [1, 0, 1, 0], [...name, 0, 252, 0, 1], soa)],
    ['a query with an SOA', 1, packet(0, [1, 0, 1, 0], question, soa)],
    ['the root', 0, queryPacket('.', 'NS')],
  ])('parse() of %s returns %i', (_, verdict, bytes) => {
    expect(query.parse(bytes)).toBe(verdict)
  })
})
