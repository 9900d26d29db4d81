import { setImmediate as nextTurn } from 'node:timers/promises'
import { CopiedZone } from './copied-zone.js'
import type { Draft } from './draft.js'
import type { OpenZones } from './open-zones.js'

/** Builds a zone from a whole transfer, while questions are answered. */
export async function buildZone(name: string, serial: number, draft: Draft, openZones: OpenZones): Promise<CopiedZone> {
  const map = new CopiedZone(name, serial, openZones)
  map.update(serial, [], draft.encodedSoa(serial))
  for (const group of draft.groups(serial)) {
    map.update(serial, group)
    await nextTurn()
  }
  map.pack()
  return map
}

/** Applies an incremental transfer: the next question sees all of it. The draft is small (limits.ts). */
export function changeZone(map: CopiedZone, serial: number, draft: Draft): void {
  const soa = draft.encodedSoa(serial)
  map.update(serial, [...draft.groups(serial)].flat(), soa)
  map.pack()
}
