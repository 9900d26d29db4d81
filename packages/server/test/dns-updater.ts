import dnsPacket from 'dns-packet'
import { TsigSigner, TsigVerifier, type TsigKey } from '../src/ports/dns/wire/tsig.js'
import { exchangeTcp, exchangeUdp } from './dns-ask.js'
import { updatePacket, type UpdateParts } from './dns-update.js'
import type { Browser } from './site.js'

/** A key of an account that signs DNS messages. */
export interface UpdateKey extends TsigKey {
  readonly tokenId: number
  /** In base64, as clients take it. */
  readonly text: string
}

let keys = 0

/** Creates a key as the console does. @param more such as `rules` */
export async function updateKey(browser: Browser, more: object = {}): Promise<UpdateKey> {
  const body = { name: `updates ${String(++keys)}`, scopes: ['dns:write'], ...more }
  const answer = await browser.call('POST', '/keys/tsig', { body })
  if (answer.status !== 200) throw new Error(answer.text)
  const { id, secret, tsig } = answer.body['data'] as { id: number; secret: string; tsig: TsigKey }
  return { ...tsig, tokenId: id, text: secret, secret: Buffer.from(secret, 'base64') }
}

const seconds = () => Math.floor(Date.now() / 1000)
let ids = 0

export interface SignedMessage {
  readonly packet: Buffer
  readonly mac: Buffer
}

export function signedUpdate(key: TsigKey, parts: UpdateParts): SignedMessage {
  ids = (ids + 1) % 65_536
  const signer = new TsigSigner(key)
  const packet = signer.sign(updatePacket({ id: ids, ...parts }), seconds())
  return { packet, mac: signer.mac }
}

/** Sends a signed message and verifies the signature of the answer. @returns the code, such as `NXRRSET` */
export async function sendSigned(
  key: TsigKey,
  { packet, mac }: SignedMessage,
  port: number,
  transport: 'udp' | 'tcp' = 'udp',
): Promise<string> {
  const answer = await (transport === 'udp'
    ? exchangeUdp(packet, port, '127.0.0.1', 10_000)
    : exchangeTcp(packet, port))
  const verified = new TsigVerifier(key, mac).verify(answer, seconds())
  if (verified.readUInt16BE(0) !== packet.readUInt16BE(0)) throw new Error('The answer has another id.')
  return (dnsPacket.decode(verified) as unknown as { rcode: string }).rcode
}

/** @returns the code of the answer, whose signature is verified */
export const sendUpdate = (
  key: TsigKey,
  parts: UpdateParts,
  port: number,
  transport?: 'udp' | 'tcp',
): Promise<string> => sendSigned(key, signedUpdate(key, parts), port, transport)
