import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseJson } from '../shared/parse-json.js'
import { readBody } from './read-body.js'

/** Reads bodies as JSON in UTF-8 (RFC 8259, 8.1). An empty body counts as missing. */
export function readJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const body = await readBody(payload, request.routeOptions.bodyLimit)
    return body.length === 0 ? undefined : parseJson(body)
  })
}
