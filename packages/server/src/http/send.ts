import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Document } from './answer.js'

/** A document, or 304 for a client that holds it already (RFC 9110, 13.1.2). */
export function sendDocument(request: FastifyRequest, reply: FastifyReply, document: Document): FastifyReply {
  reply.headers({ etag: document.etag, 'cache-control': 'no-cache', ...document.headers })
  const held = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (held?.some((tag) => tag === document.etag || tag === '*')) return reply.code(304).send()
  return reply.header('content-type', document.mediaType).send(document.body)
}
