import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Download } from './answer.js'

/** Sends stored bytes. A stand-in: conditional requests and ranges are not answered. */
export async function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  { content }: Download,
  _unsatisfiable: 400 | 416,
): Promise<FastifyReply> {
  const { size, etag, mediaType, disposition, headers, open, onSent } = content
  reply.headers({
    ...headers,
    etag,
    'content-type': mediaType,
    'content-length': size,
    'content-disposition': disposition,
  })
  if (request.method === 'HEAD' || size === 0) return reply.send(Buffer.alloc(size))
  reply.raw.once('close', () => onSent?.(size))
  return reply.send(await open({ first: 0, last: size - 1 }))
}
