import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { ApexRecords } from '../embedded/apex-records.js'
import { rcode, typeCode } from '../embedded/codes.js'
import type { Stored } from '../embedded/stored.js'
import type { Journals } from '../embedded/zone-journal.js'
import type { ZoneMap, ZoneSnapshot } from '../embedded/zone-map.js'
import type { CheckedMessage, Send, Signer } from '../protocol/messages.js'
import { isNewerSerial } from '../serial.js'
import { differenceOf } from './difference.js'
import { clientOf, mayTransfer, mayTransferAll } from './may-transfer.js'
import { emptyAnswer, malformedAnswer, transferMessages, type Records } from './messages.js'
import type { SecondariesCounters } from './options.js'
import { parseTransferRequest, type TransferRequest } from './request.js'
import { TransferSlots } from './transfer-slots.js'

/** A zone that can be transferred. */
export interface ServedZone {
  readonly zone: ZoneMap
  /** Its SOA and NS. */
  readonly apex: ApexRecords
  /** Only keys that may transfer all zones see it. */
  readonly isPrivate: boolean
}

export interface TransferDependencies {
  /** Finds the zone with exactly this name. @param key of wire/names.ts */
  readonly find: (key: string) => ServedZone | undefined
  readonly journals: Journals
  readonly count: SecondariesCounters['transfer']
}

/** How long a transfer waits for a missing change of the zone, in milliseconds. Another process's is loaded within 250. */
export const incompleteMs = 3_000
const lookEveryMs = 20

/** Answers AXFR (RFC 5936) and IXFR (RFC 1995). @returns the handler; it throws if the client is gone: close its connection */
export function transfers({ find, journals, count }: TransferDependencies) {
  // Accounts whose clients read slowly do not delay the operator's secondaries.
  const slots = { accounts: new TransferSlots(), operator: new TransferSlots() }

  /** The zone, as soon as its contents are those of its serial. A load may replace it in the meantime. */
  async function completeZone(key: string, signal: AbortSignal): Promise<ServedZone | undefined> {
    for (const until = performance.now() + incompleteMs; ;) {
      const found = find(key)
      if (found?.zone.isComplete !== false) return found
      if (performance.now() > until) throw new Error(`A change of ${found.zone.name} is missing.`)
      await sleep(lookEveryMs, undefined, { signal })
    }
  }

  return async ({ packet, signer, client, signal }: CheckedMessage, send: Send): Promise<void> => {
    const request = parseTransferRequest(packet)
    const { transport } = client
    if (request === undefined) {
      count('refused', undefined, transport)
      return send(malformedAnswer(packet))
    }
    const found = request.isInternet ? find(request.key) : undefined
    const refuse = (code: number) => {
      count('refused', found?.zone.name, transport)
      return send(emptyAnswer(packet, request, code))
    }
    if (found === undefined) return refuse(mayTransferAll(signer) ? rcode.notAuth : rcode.refused)
    if (!isPermitted(signer, found)) return refuse(rcode.refused)
    if (transport === 'udp')
      // One SOA: the client compares the serial and asks over TCP (RFC 1995, section 2).
      return request.type === typeCode.IXFR ? send(only(packet, request, [soaOf(found)])) : refuse(rcode.refused)
    const free = await slots[signer.kind === 'account' ? 'accounts' : 'operator'].take(clientOf(signer), signal)
    if (free === undefined) return refuse(rcode.refused)
    try {
      journals.isRecording = true
      const zone = await completeZone(request.key, signal)
      // During the wait, another account may have got the zone.
      if (zone === undefined || !isPermitted(signer, zone)) {
        await refuse(rcode.refused)
        return
      }
      const { kind, records } = await contentsFor(zone, request, signal)
      for (const message of transferMessages(packet, request, records)) {
        signal.throwIfAborted()
        await send(message)
        // Other queries are answered between two messages.
        await nextTurn()
      }
      count(kind, found.zone.name, transport)
    } catch (error) {
      count('failed', found.zone.name, transport)
      throw error
    } finally {
      free()
    }
  }
}

const isPermitted = (signer: Signer, { zone, isPrivate }: ServedZone): boolean =>
  isPrivate ? mayTransferAll(signer) : mayTransfer(signer, zone)

const only = (packet: Buffer, request: TransferRequest, records: readonly Records[]): Buffer => {
  const [message] = transferMessages(packet, request, records)
  if (message === undefined) throw new Error('A transfer has no message.')
  return message
}

interface Contents {
  readonly kind: 'axfr' | 'ixfr' | 'current'
  readonly records: Iterable<Records>
}

/** The SOA and the records are taken in one turn of the event loop, so they are those of one serial. Later changes do not alter them. */
async function contentsFor(served: ServedZone, { serial }: TransferRequest, signal: AbortSignal): Promise<Contents> {
  const { zone, apex } = served
  const soa = soaOf(served)
  if (serial === undefined) return { kind: 'axfr', records: whole(served, soa) }
  if (!isNewerSerial(zone.serial, serial)) return { kind: 'current', records: [soa] }
  const changes = zone.changesSince(serial)
  if (changes === undefined) return { kind: 'axfr', records: whole(served, soa) }
  const former = atApex(apex.soaOf(zone, serial))
  const { removed, added } = await differenceOf(changes, signal)
  return { kind: 'ixfr', records: [soa, former, ...removed, soa, ...added, soa] }
}

const whole = ({ zone, apex }: ServedZone, soa: Records): Iterable<Records> =>
  wholeOf(soa, atApex(apex.ns), zone.snapshot())

function* wholeOf(soa: Records, ns: Records, { keys, sets }: ZoneSnapshot): Generator<Records, void> {
  yield soa
  yield ns
  for (const [index, { bytes, start, end }] of sets.entries()) yield { key: keys[index] ?? '', bytes, start, end }
  yield soa
}

const soaOf = ({ zone, apex }: ServedZone): Records => atApex(apex.soaOf(zone, zone.serial))

const atApex = ({ bytes, start, end }: Stored): Records => ({ key: '', bytes, start, end })
