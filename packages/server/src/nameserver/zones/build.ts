import { setImmediate as nextTurn } from 'node:timers/promises'
import { typeCode } from '../../ports/dns/embedded/codes.js'
import type { Placed } from '../../ports/dns/embedded/stored.js'
import { ZoneMap } from '../../ports/dns/embedded/zone-map.js'
import type { Draft } from './draft.js'

const isApexNs = ({ key, type }: Placed): boolean => key === '' && type === typeCode.NS

/** Builds a zone from a whole transfer, while questions are answered. */
export async function buildZone(name: string, serial: number, draft: Draft): Promise<ZoneMap> {
  const map = new ZoneMap(name, serial)
  map.apex = { soa: draft.encodedSoa(serial), ns: undefined }
  for (const group of draft.groups(serial)) {
    place(map, serial, group)
    await nextTurn()
  }
  return map
}

/** Applies an incremental transfer: the next question sees all of it. The draft is small (limits.ts). */
export function changeZone(map: ZoneMap, serial: number, draft: Draft): void {
  const soa = draft.encodedSoa(serial)
  const changes = [...draft.groups(serial)].flat()
  map.apex = { soa, ns: map.apex?.ns }
  place(map, serial, changes)
}

/** The NS at the apex are not among the other RRsets. */
function place(map: ZoneMap, serial: number, changes: readonly Placed[]): void {
  const ns = changes.find(isApexNs)
  if (ns !== undefined && map.apex !== undefined) map.apex = { ...map.apex, ns: ns.set }
  map.update(
    serial,
    changes.filter((change) => !isApexNs(change)),
  )
}
