import fc from 'fast-check'
import { decode } from 'dns-packet'
import { beforeEach, describe, expect, it } from 'vitest'
import { accountSigner, recordsOf, TestSecondary, transferRequest } from '../../../../test/transfer-client.js'
import { ApexRecords } from '../embedded/apex-records.js'
import { encodeRRsets } from '../embedded/stored.js'
import { Journals } from '../embedded/zone-journal.js'
import { ZoneMap } from '../embedded/zone-map.js'
import type { RRset } from '../port.js'
import type { CheckedMessage } from '../protocol/messages.js'
import { nextSerial } from '../serial.js'
import { keyOf } from '../wire/names.js'
import type { TransferKind } from './options.js'
import { transfers } from './transfers.js'

const name = 'example.test'
const apex = new ApexRecords({ nameservers: ['ns1.example.net', 'ns2.example.test'] })
const set = (host: string, values: readonly string[], ttl = 60): RRset => ({
  name: host === '@' ? name : `${host}.${name}`,
  type: 'TXT',
  ttl,
  records: values.map((value) => ({ value, priority: null })),
})

let journals: Journals
let zone: ZoneMap
let counted: TransferKind[]
const handlerOf = (isPrivate = false) =>
  transfers({
    find: (key) => (key === keyOf(name) ? { zone, apex, isPrivate } : undefined),
    journals,
    count: (kind) => counted.push(kind),
  })

async function messagesOf(message: CheckedMessage, isPrivate = false): Promise<Buffer[]> {
  const sent: Buffer[] = []
  await handlerOf(isPrivate)(message, async (packet) => {
    sent.push(packet)
  })
  return sent
}

const replace = (serial: number, rrsets: readonly RRset[], latest = serial, holder = zone.holder) => {
  const load = ZoneMap.of({ zone: name, serial, latest, holder, rrsets })
  if (!load.mergeNewer(zone)) return
  load.recordAfter(zone)
  zone = load
}

const change = (serial: number, ...sets: RRset[]) => zone.apply(serial, encodeRRsets(name, serial, sets))

beforeEach(() => {
  journals = new Journals()
  counted = []
  zone = ZoneMap.of({ zone: name, serial: 7, holder: 5, rrsets: [set('@', ['apex']), set('www', ['a', 'b'])] })
  zone.record(journals)
})

describe('AXFR', () => {
  it('begins and ends with the SOA, and has the nameservers and all records between', async () => {
    const answers = recordsOf(await messagesOf(transferRequest(name)))
    expect(answers.map(({ name: owner, type }) => `${owner} ${type}`)).toEqual([
      'example.test SOA',
      'example.test NS',
      'example.test NS',
      'example.test TXT',
      'www.example.test TXT',
      'www.example.test TXT',
      'example.test SOA',
    ])
    expect(answers[0]).toEqual(answers[6])
    expect(answers[0]).toMatchObject({ data: { mname: 'ns1.example.net', rname: `hostmaster.${name}`, serial: 7 } })
  })

  it('splits a large zone into messages of at most 16 KiB, each with the question, the id and the authoritative bit', async () => {
    const many = Array.from({ length: 3000 }, (_, n) => set(`host${n}`, [`value ${n}`]))
    const large = set(
      'large',
      Array.from({ length: 120 }, (_, n) => `${n} ${'x'.repeat(400)}`),
    )
    const huge = set('huge', ['y'.repeat(40_000)])
    replace(8, [...many, large, huge])
    const messages = await messagesOf(transferRequest(name))
    expect(recordsOf(messages).length).toBe(3000 + 120 + 1 + 4)
    for (const message of messages) {
      const { id, flag_aa: isAuthoritative, questions, answers = [] } = decode(message)
      expect([id, isAuthoritative, questions?.length]).toEqual([4711, true, 1])
      expect(message.length <= 16 * 1024 || answers.length === 1).toBe(true)
    }
  })

  it('has the records of one serial, although the zone changes during the transfer', async () => {
    replace(
      8,
      Array.from({ length: 2000 }, (_, n) => set(`host${n}`, ['before'])),
    )
    const sent: Buffer[] = []
    await handlerOf()(transferRequest(name), async (packet) => {
      sent.push(packet)
      change(9, set('host1999', ['after']), set('new', ['after']))
    })
    expect(sent.length).toBeGreaterThan(2)
    expect(JSON.stringify(recordsOf(sent))).not.toContain(Buffer.from('after').toJSON().data.join())
    expect(recordsOf(sent)).toHaveLength(2000 + 4)
  })

  it('waits for a change that a later one has overtaken', async () => {
    change(9, set('later', ['x']))
    const transfer = messagesOf(transferRequest(name))
    setTimeout(() => change(8, set('earlier', ['y'])), 60)
    const names = recordsOf(await transfer).map((answer) => answer.name)
    expect(names).toContain(`earlier.${name}`)
    expect(names).toContain(`later.${name}`)
  })

  it.each([
    ['without a key from another machine', { kind: 'none' } as const, 5],
    ['with the key of another account', accountSigner(6), 5],
    ['with a key whose rules leave out a part of the zone', accountSigner(5, ['www']), 5],
    ['with a key without a scope for zones', accountSigner(5, undefined, 'files:read'), 5],
  ])('is refused %s', async (_, signer, rcode) => {
    const [message] = await messagesOf(transferRequest(name, undefined, signer))
    expect(message?.readUInt8(3)).toBe(rcode)
    expect(recordsOf([message ?? Buffer.alloc(0)])).toEqual([])
    expect(counted).toEqual(['refused'])
  })

  it.each([
    ['the key of the holder', accountSigner(5), 0],
    ["an operator's key", { kind: 'operator', name: 'k' } as const, 0],
    ['a client on this machine', { kind: 'loopback' } as const, 0],
  ])('is answered to %s', async (_, signer, rcode) => {
    const [message] = await messagesOf(transferRequest(name, undefined, signer))
    expect(message?.readUInt8(3)).toBe(rcode)
  })

  it('is refused to the key of an account that has lost the zone while the transfer waited for a change', async () => {
    change(9, set('later', ['x']))
    const transfer = messagesOf(transferRequest(name, undefined, accountSigner(5)))
    zone = ZoneMap.of({ zone: name, serial: 10, holder: 6, rrsets: [set('www', ['of another account'])] })
    const [message = Buffer.alloc(0), ...others] = await transfer
    expect(message.readUInt8(3)).toBe(5)
    expect(recordsOf([message, ...others])).toEqual([])
  })

  it('begins for the operator while an account with many keys does not read its transfers', async () => {
    const handler = handlerOf()
    const stuck = new Promise<void>(() => undefined)
    let begun = 0
    const send = () => {
      begun++
      return stuck
    }
    const leaving = new AbortController()
    for (let tokenId = 1; tokenId <= 8; tokenId++) {
      const signer = accountSigner(5)
      const request = transferRequest(name, undefined, { ...signer, caller: { ...signer.caller, tokenId } })
      void handler({ ...request, signal: leaving.signal }, send)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(begun).toBe(2)
    await handler(transferRequest(name, undefined, { kind: 'operator', name: 'k' }), async () => undefined)
    expect(counted).toEqual(['axfr'])
    leaving.abort()
  })

  it('of a private zone is refused to the key of an account', async () => {
    const [message] = await messagesOf(transferRequest(name, undefined, accountSigner(5)), true)
    expect(message?.readUInt8(3)).toBe(5)
  })

  it('of another class than IN is NOTAUTH, as zones have no other', async () => {
    const message = transferRequest(name)
    // The question is the end of the request.
    message.packet.writeUInt16BE(3, message.packet.length - 2)
    const [answer] = await messagesOf(message)
    expect([answer?.readUInt8(3), answer?.readUInt16BE(6)]).toEqual([9, 0])
  })

  it('of a zone that is not served is REFUSED to an account and NOTAUTH to the operator', async () => {
    const asked = async (signer: CheckedMessage['signer']) =>
      (await messagesOf(transferRequest('other.test', undefined, signer)))[0]?.readUInt8(3)
    expect(await asked(accountSigner(5))).toBe(5)
    expect(await asked({ kind: 'operator', name: 'k' })).toBe(9)
  })
})

describe('IXFR', () => {
  const secondary = async () => {
    const copy = new TestSecondary()
    copy.take(await messagesOf(transferRequest(name)))
    return copy
  }

  it('has only the records that differ', async () => {
    const copy = await secondary()
    change(8, set('www', ['b', 'c']))
    change(9, set('mail', ['m']))
    const messages = await messagesOf(transferRequest(name, 7))
    expect(recordsOf(messages).map(({ type, name: owner }) => `${type} ${owner}`)).toEqual([
      `SOA ${name}`,
      `SOA ${name}`,
      `TXT www.${name}`,
      `SOA ${name}`,
      `TXT www.${name}`,
      `TXT mail.${name}`,
      `SOA ${name}`,
    ])
    copy.take(messages)
    expect(copy.serial).toBe(9)
  })

  it.each([7, 8])('is only the SOA for a client with the serial %d when that of the zone is 7', async (serial) => {
    const answers = recordsOf(await messagesOf(transferRequest(name, serial)))
    expect(answers).toMatchObject([{ type: 'SOA', data: { serial: 7 } }])
  })

  it('is a whole transfer if the changes do not reach back to the serial', async () => {
    const copy = await secondary()
    change(8, set('www', ['c']))
    copy.take(await messagesOf(transferRequest(name, 6)))
    expect(copy.last).toBe('axfr')
  })

  it('is FORMERR without a whole SOA of the client', async () => {
    const request = transferRequest(name, 7)
    for (let length = request.packet.length - 1; length > 12 + name.length + 6; length--) {
      const [message] = await messagesOf({ ...request, packet: request.packet.subarray(0, length) })
      expect(message?.toString('hex')).toBe('126780010000000000000000')
    }
  })

  it('has no records of the account that had the zone before', async () => {
    await secondary()
    change(8, set('secret-of-the-former-account', ['x']))
    replace(9, [set('www', ['mine'])], 9, 6)
    change(10, set('mail', ['mine']))
    for (const serial of [7, 8, 9]) {
      const answers = recordsOf(await messagesOf(transferRequest(name, serial, accountSigner(6))))
      expect(answers.map(({ name: owner }) => owner)).not.toContain(`secret-of-the-former-account.${name}`)
    }
    expect(counted.slice(1)).toEqual(['axfr', 'axfr', 'ixfr'])
  })

  it('is one SOA over UDP', async () => {
    await secondary()
    change(8, set('www', ['c']))
    const request = transferRequest(name, 7)
    const answers = recordsOf(await messagesOf({ ...request, client: { ...request.client, transport: 'udp' } }))
    expect(answers).toMatchObject([{ type: 'SOA', data: { serial: 8 } }])
  })

  it('works across the end of the serials', async () => {
    zone = ZoneMap.of({ zone: name, serial: 0xffff_fffe, rrsets: [set('www', ['a'])] })
    zone.record(journals)
    const copy = await secondary()
    change(0xffff_ffff, set('www', ['b']))
    change(1, set('www', ['c']))
    copy.take(await messagesOf(transferRequest(name, 0xffff_fffe)))
    expect([copy.last, copy.serial]).toEqual(['ixfr', 1])
  })

  it('is a whole transfer after the same serial had other contents', async () => {
    await secondary()
    change(8, set('www', ['b']))
    replace(8, [set('www', ['other'])])
    change(9, set('www', ['d']))
    const copy = new TestSecondary()
    copy.take(await messagesOf(transferRequest(name, 8)))
    expect([copy.last, copy.serial]).toEqual(['axfr', 9])
    change(10, set('www', ['e']))
    copy.take(await messagesOf(transferRequest(name, 9)))
    expect([copy.last, copy.serial]).toEqual(['ixfr', 10])
  })

  it('leads to the same records as a whole transfer after any changes in any order, and loads', async () => {
    const step = fc.record({
      kind: fc.constantFrom('change', 'change', 'change', 'late', 'load', 'torn', 'release'),
      host: fc.constantFrom('a', 'b', 'c.b', '@', '*'),
      values: fc.subarray(['1', '2', '3']),
      ttl: fc.constantFrom(60, 120),
      asks: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.constantFrom(5, 0xffff_fff8), async (steps, start) => {
        journals = new Journals()
        zone = ZoneMap.of({ zone: name, serial: start, rrsets: [set('a', ['1'])] })
        zone.record(journals)
        const stored = new Map([['a', set('a', ['1'])]])
        const present = () => [...stored.values()].filter(({ records }) => records.length > 0)
        const copy = new TestSecondary()
        copy.take(await messagesOf(transferRequest(name)))
        let serial: number = start
        let late: (() => void) | undefined
        for (const { kind, host, values, ttl, asks } of steps) {
          const changed = set(host, values, ttl)
          const beforeSerial = serial
          serial = nextSerial(serial)
          if (kind !== 'release') stored.set(host, changed)
          const now = serial
          if (kind === 'late' && late === undefined) {
            late = () => change(now, changed)
            continue
          }
          if (kind === 'load' || kind === 'release') replace(now, present())
          // The zone was read while the change was written: its serial is the one before, but the records are the new ones.
          else if (kind === 'torn') {
            replace(beforeSerial, present(), now)
            change(now, changed)
          } else change(now, changed)
          late?.()
          late = undefined
          if (asks) copy.take(await messagesOf(transferRequest(name, copy.serial)))
        }
        late?.()
        copy.take(await messagesOf(transferRequest(name, copy.serial)))
        const whole = new TestSecondary()
        whole.take(await messagesOf(transferRequest(name)))
        expect([...copy.records].toSorted()).toEqual([...whole.records].toSorted())
        expect(copy.serial).toBe(serial)
      }),
      { numRuns: 200 },
    )
  })
})
