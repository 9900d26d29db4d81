import type { ContentRoute } from '../../../http/area.js'
import type { ByteRange } from '../../../ports/blobs/port.js'
import type { Edge, EdgeObject } from '../../../ports/edge/port.js'
import type { OpenFile } from '../contents/open-file.js'
import type { StoredFile } from '../files/file.js'
import { describeFile, downloadOf } from '../files/presenter.js'
import { dispositionOf, typeForBrowsers } from './disposition.js'
import type { LinksInMemory } from './links-in-memory.js'
import type { Traffic } from './traffic-counts.js'

interface LinkDependencies {
  readonly edge: Edge
  readonly open: OpenFile
  readonly sharedFile: (key: string) => Promise<StoredFile | undefined>
  readonly links: LinksInMemory
  readonly count: (fileId: number, traffic: Traffic) => void
}

/** Share links. The name is for people, so that a link keeps working after a rename. */
export const shareRoute = ({ edge, open, sharedFile, links, count }: LinkDependencies): ContentRoute => ({
  name: 'content.share',
  path: '/s/:key/:name',
  findInMemory: ({ url = '' }) => links.find(url),
  answer: async ({ params }) => {
    const { key = '' } = params
    const file = await sharedFile(key)
    if (!file?.isServed) return undefined
    const object: EdgeObject = {
      fileId: file.id,
      version: file.edgeVersion,
      size: file.size,
      ttl: file.edgeTtl,
      fetch: (range) => open(file, range),
    }
    const { mediaType } = file
    const presentation = {
      mediaType: typeForBrowsers(mediaType),
      disposition: dispositionOf(mediaType),
      headers: edge.headers(object),
    }
    // A request for several ranges opens each of them.
    let [hits, misses] = [0, 0]
    let isOpened = false
    const openCopy = async (range: ByteRange) => {
      isOpened = true
      const { bytes, isHit } = await edge.open(object, range)
      if (isHit) hits = 1
      else misses = 1
      links.remember(key, object, { ...describeFile(file), ...presentation })
      return bytes
    }
    const onSent = (bytes: number) => {
      // The bytes could not be read: the answer was an error.
      if (isOpened && bytes === 0) return
      count(file.id, { requests: 1, hits: misses === 0 ? hits : 0, misses, bytesServed: bytes })
    }
    return downloadOf(file, {
      ...presentation,
      open: openCopy,
      // Otherwise the log of the cache in front has all requests, also those that this server does not see.
      ...(edge.seesAllRequests && { onSent }),
    })
  },
})
