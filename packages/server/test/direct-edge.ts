import type { Edge } from '../src/ports/edge/port.js'

/** No cache: every request reads from the blob store. */
export const directEdge: Edge = {
  findWholeCopy: () => undefined,
  open: async (object, range) => ({ bytes: await object.fetch(range), isHit: false }),
  headers: () => ({}),
  purge: () => Promise.resolve(),
  seesAllRequests: true,
  close: () => Promise.resolve(),
}
