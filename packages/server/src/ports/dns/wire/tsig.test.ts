import { describe, expect, it } from 'vitest'
import { TsigSigner, TsigVerifier, UntrustedAnswer, verifyRequest, withUnsignedError, type TsigKey } from './tsig.js'
import { findTsig, keyNameText, MalformedMessage, withoutTsig, withTsig } from './tsig-record.js'

const secret = Buffer.from('c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0', 'base64')
const sha256: TsigKey = { name: 'key.example', algorithm: 'hmac-sha256', secret }
const sha512: TsigKey = { name: 'key.example', algorithm: 'hmac-sha512', secret }

/** Requests that dig 9.18 has signed with the key Key.Example and these secrets: `dig -y ALGORITHM:Key.Example:SECRET www.Example.test A`. */
const ofDig: [string, TsigKey, string][] = [
  [
    'hmac-sha256',
    sha256,
    'a15d0120000100000000000103777777074578616d706c6504746573740000010001036b6579076578616d706c650000fa00ff00000000003d0b686d61632d7368613235360000006b09ce90012c0020db23f8e99e72fd771ff39c914f2ada1ff10c381f820b30538eabb1cfd717a55da15d00000000',
  ],
  [
    'hmac-sha256 with EDNS',
    sha256,
    'af160120000100000000000203777777074578616d706c650474657374000001000100002904d0000000000000036b6579076578616d706c650000fa00ff00000000003d0b686d61632d7368613235360000006b09ce91012c00206d258c0c8f6c90d223de6f00cc85effdffe7b12f118519976f40f890546b315caf1600000000',
  ],
  [
    'hmac-sha512',
    sha512,
    'e8e70120000100000000000103777777074578616d706c6504746573740000010001036b6579076578616d706c650000fa00ff00000000005d0b686d61632d7368613531320000006b09ce92012c00402357bba7cbb164ae606d8ed55be97adc6163abbc79c713a704248aa6a0fd47462a08e895f3e9a6de3c0ae0d3a162fe1c9351d5a36bc9fab2fcfaf221f8f20c75e8e700000000',
  ],
  [
    'hmac-sha512 with EDNS',
    sha512,
    'e80b0120000100000000000203777777074578616d706c650474657374000001000100002904d0000000000000036b6579076578616d706c650000fa00ff00000000005d0b686d61632d7368613531320000006b09ce93012c0040b413ff4c753ddafda2263ade973cc09d16072b8e7d4a3113e18362763616f62744788ce4db6cd26b92cc3adaae75574f21a78b3b32358c5d9880e2218dea6d91e80b00000000',
  ],
]
const [, , first] = ofDig[0]!
const request = Buffer.from(first, 'hex')
const tsigOf = (packet: Buffer) => findTsig(packet)!
const at = tsigOf(request).timeSigned

describe('requests that dig has signed', () => {
  it.each(ofDig)('%s: the signature is valid, and svc signs the same octets', (_, key, hex) => {
    const packet = Buffer.from(hex, 'hex')
    const tsig = tsigOf(packet)
    expect(keyNameText(tsig.keyName)).toBe('key.example')
    expect(verifyRequest(packet, tsig, key, tsig.timeSigned)).toBe('valid')
    const message = withoutTsig(packet, tsig)
    expect(findTsig(message)).toBeUndefined()
    expect(new TsigSigner(key).sign(message, tsig.timeSigned).equals(packet)).toBe(true)
  })

  it('every changed octet makes the signature invalid or the message malformed, except those of the id', () => {
    for (let n = 2; n < request.length; n++) {
      const changed = Buffer.from(request)
      changed.writeUInt8(changed.readUInt8(n) ^ 0x01, n)
      const outcome = verdictOf(changed)
      // The case of a name does not count, and is not changed by this bit.
      if (outcome === 'valid') throw new Error(`Octet ${n} is not covered.`)
    }
    const forwarded = Buffer.from(request)
    forwarded.writeUInt16BE(1, 0)
    expect(verdictOf(forwarded)).toBe('valid')
  })

  it.each([
    ['300 seconds late', 300, 'valid'],
    ['301 seconds late', 301, 'badTime'],
    ['300 seconds early', -300, 'valid'],
    ['301 seconds early', -301, 'badTime'],
  ])('%s: %s', (_, seconds, expected) => {
    expect(verifyRequest(request, tsigOf(request), sha256, at + seconds)).toBe(expected)
  })

  it('a larger fudge than 300 seconds does not extend the time', () => {
    const message = withoutTsig(request, tsigOf(request))
    const { algorithm, keyName, other } = tsigOf(request)
    const fields = { algorithm, keyName, other, timeSigned: at, fudge: 60_000, error: 0, originalId: 7 }
    // Signed by hand: TsigSigner has no other fudge.
    const unsigned = withTsig(message, { ...fields, mac: Buffer.alloc(32) })
    expect(verifyRequest(unsigned, tsigOf(unsigned), sha256, at + 301)).toBe('badSig')
  })

  it('another key of the name, or another algorithm: BADSIG, BADKEY', () => {
    expect(verifyRequest(request, tsigOf(request), { ...sha256, secret: Buffer.from('x') }, at)).toBe('badSig')
    expect(verifyRequest(request, tsigOf(request), sha512, at)).toBe('badKey')
  })

  it.each([
    [0, 'formErr'],
    [10, 'formErr'],
    [15, 'formErr'],
    [16, 'badTrunc'],
    [31, 'badTrunc'],
    [33, 'formErr'],
  ])('a MAC of %i octets: %s (RFC 8945, section 5.2.2.1)', (size, expected) => {
    const tsig = tsigOf(request)
    const mac = Buffer.concat([tsig.mac, Buffer.alloc(1)]).subarray(0, size)
    const packet = withTsig(withoutTsig(request, tsig), { ...tsig, mac })
    expect(verifyRequest(packet, tsigOf(packet), sha256, at)).toBe(expected)
  })

  it('a truncated MAC that is wrong: BADSIG', () => {
    const tsig = tsigOf(request)
    const packet = withTsig(withoutTsig(request, tsig), { ...tsig, mac: Buffer.alloc(16) })
    expect(verifyRequest(packet, tsigOf(packet), sha256, at)).toBe('badSig')
  })
})

function verdictOf(packet: Buffer): string {
  try {
    const tsig = findTsig(packet)
    if (tsig === undefined || keyNameText(tsig.keyName) !== sha256.name) return 'another key'
    return verifyRequest(packet, tsig, sha256, at)
  } catch (error) {
    if (error instanceof MalformedMessage) return 'malformed'
    throw error
  }
}

describe('findTsig()', () => {
  it('a TSIG that is not the last record, or is there twice, is malformed', () => {
    const tsig = tsigOf(request)
    const twice = withTsig(request, tsig)
    expect(() => findTsig(twice)).toThrow(MalformedMessage)
    expect(() => findTsig(Buffer.concat([request, Buffer.alloc(1)]))).toThrow(MalformedMessage)
    const cut = request.subarray(0, -1)
    expect(() => findTsig(cut)).toThrow(MalformedMessage)
  })

  it('a TSIG in another section is malformed', () => {
    const moved = Buffer.from(request)
    moved.writeUInt16BE(1, 6)
    moved.writeUInt16BE(0, 10)
    expect(() => findTsig(moved)).toThrow(MalformedMessage)
  })

  it('the name of the key may be compressed, and its pointers lead back', () => {
    const question = Buffer.from('a15d01200001000000000001036b6579076578616d706c650000010001', 'hex')
    const record = request.subarray(request.indexOf(Buffer.from('00fa00ff', 'hex')))
    const compressed = Buffer.concat([question, Buffer.from([0xc0, 12]), record])
    expect(keyNameText(tsigOf(compressed).keyName)).toBe('key.example')
    const loop = Buffer.concat([question, Buffer.from([0xc0, question.length]), record])
    expect(() => findTsig(loop)).toThrow(MalformedMessage)
  })

  it('a name with a dot or a space in a label has no text', () => {
    expect(keyNameText(Buffer.from('\x03a.b\x00', 'latin1'))).toBeUndefined()
    expect(keyNameText(Buffer.from('\x03a b\x00', 'latin1'))).toBeUndefined()
    expect(keyNameText(Buffer.from('\x01a\x01b\x00', 'latin1'))).toBe('a.b')
  })
})

describe('answers', () => {
  const message = (id: number) =>
    Buffer.from(`${id.toString(16).padStart(4, '0')}840000000000000000000`.slice(0, 24), 'hex')
  const exchange = () => {
    const signer = new TsigSigner(sha256)
    signer.sign(message(7), at)
    return { server: new TsigSigner(sha256, signer.mac), client: new TsigVerifier(sha256, signer.mac) }
  }

  it('each message of an answer is verified with the one before', () => {
    const { server, client } = exchange()
    const signed = [server.sign(message(7), at), server.sign(message(7), at + 1), server.sign(message(7), at + 2)]
    for (const each of signed) expect(client.verify(each, at + 2).equals(message(7))).toBe(true)
    expect(client.isSigned).toBe(true)
  })

  it('messages in another order are not trusted', () => {
    const { server, client } = exchange()
    const [one, , three] = [server.sign(message(7), at), server.sign(message(7), at), server.sign(message(7), at)]
    client.verify(one, at)
    expect(() => client.verify(three, at)).toThrow(UntrustedAnswer)
  })

  it('the right answer is verified after forged ones', () => {
    const { server, client } = exchange()
    const forged = new TsigSigner({ ...sha256, secret: Buffer.alloc(32) }, Buffer.alloc(32)).sign(message(7), at)
    for (let n = 0; n < 2; n++) expect(() => client.verify(forged, at)).toThrow('signature')
    expect(client.verify(server.sign(message(7), at), at).equals(message(7))).toBe(true)
  })

  it('up to 99 unsigned messages may stand between signed ones, and the first is signed', () => {
    const { client } = exchange()
    expect(() => client.verify(message(7), at)).toThrow('not signed')
    const { server, client: other } = exchange()
    other.verify(server.sign(message(7), at), at)
    for (let n = 0; n < 99; n++) other.verify(message(7), at)
    expect(other.isSigned).toBe(false)
    expect(() => other.verify(message(7), at)).toThrow('Too many')
  })

  it('a refusal of the key, a wrong key and a wrong clock have their reasons', () => {
    const refused = withUnsignedError(message(7), tsigOf(request), 17)
    expect(() => exchange().client.verify(refused, at)).toThrow('The server refuses the key: BADKEY.')
    const { server, client } = exchange()
    const signed = server.sign(message(7), at)
    expect(() => client.verify(signed, at + 301)).toThrow('clocks')
    const other = new TsigSigner({ ...sha256, name: 'other.example' }, Buffer.alloc(32)).sign(message(7), at)
    expect(() => exchange().client.verify(other, at)).toThrow('another key')
    expect(() => exchange().client.verify(signed.subarray(0, -1), at)).toThrow('malformed')
  })

  it('the size of a signature is known before', () => {
    const signer = new TsigSigner(sha512, Buffer.alloc(64))
    expect(signer.sign(message(7), at).length).toBe(message(7).length + signer.size)
  })
})
