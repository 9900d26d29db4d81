import type { RecordType } from '@svc/contract'
import { a, aaaa } from './address.js'
import { caa } from './caa.js'
import { mx } from './mx.js'
import type { RecordTypeRules } from './record-type.js'
import { srv } from './srv.js'
import { cname, ns, ptr } from './target.js'
import { spf, txt } from './text.js'

/** The rules of every record type that svc serves. No other table lists the types. */
export const recordTypeRules = {
  A: a,
  AAAA: aaaa,
  CNAME: cname,
  MX: mx,
  TXT: txt,
  NS: ns,
  SRV: srv,
  CAA: caa,
  PTR: ptr,
  SPF: spf,
} as const satisfies Readonly<Record<RecordType, RecordTypeRules>>

/** Record types by their numbers, in ascending order. */
export const recordTypeByCode: ReadonlyMap<number, RecordType> = new Map(
  Object.entries(recordTypeRules)
    .map(([type, { code }]) => [code, type as RecordType] as const)
    .sort(([one], [other]) => one - other),
)

/** @throws RangeError for the number of any other type */
export function recordTypeOf(code: number): RecordType {
  const type = recordTypeByCode.get(code)
  if (type === undefined) throw new RangeError(`Type ${code} is not a record type of svc.`)
  return type
}
