import { errorsOf, type Operation } from '../../operation.js'
import { apiVersion } from '../../version.js'
import { byArea } from '../areas.js'
import type { JsonSchema } from '../json-schema.js'
import { errorSchema, errorSchemaName, exampleRequestId } from './errors.js'
import { schemaRef } from './names.js'
import { bearer, operationObject } from './operation.js'
import { errorResponses } from './responses.js'
import { sharedSchemas } from './shared-schemas.js'
import type { OpenApiDocument, OperationObject } from './types.js'

export type { OpenApiDocument } from './types.js'

const description = `Every response is JSON in one envelope: \`success\`, then \`data\` or \`error\` and \`message\`, and always \`request_id\`.
The header \`X-Request-Id\` repeats the id on every response. Documents and downloads have no envelope; their errors have it.

A method that an endpoint does not support answers 405 \`method_not_allowed\` with \`Allow\`.
A resource of another account answers 403, not 404.

\`x-open-detail\` marks details that the specification leaves open, with the choice of this implementation.
\`x-svc-addition\` marks operations and fields that the specification lacks. Unknown query parameters and unknown fields answer 400.`

export interface OpenApiOptions {
  /** Base URL of the API. By default `/`: the server that the document was loaded from. */
  readonly serverUrl?: string
  readonly title?: string
}

/** The OpenAPI 3.1 description of the operations. The same operations result in the same document, byte for byte. */
export function openapi(operations: readonly Operation[], options: OpenApiOptions = {}): OpenApiDocument {
  const shared = sharedSchemas(operations)
  return {
    openapi: '3.1.0',
    info: {
      title: options.title ?? 'svc Platform API',
      version: apiVersion,
      summary: 'Public utilities, account, DNS, files and related tools',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl ?? '/', description: 'This installation' }],
    tags: byArea(operations).map((group) => ({ name: group.area, description: group.description })),
    paths: pathsOf(operations.map((op) => [op, operationObject(op, shared)])),
    components: {
      securitySchemes: {
        [bearer]: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'svc_ followed by 32 hexadecimal characters',
          description: 'A token from the console or from `svc token add`. Its scopes limit what it may do. Never send it in a query string.',
        },
      },
      headers: {
        XRequestId: { description: 'The `request_id` of this response', schema: schemaRef('RequestId'), example: exampleRequestId },
      },
      responses: errorResponses(operations),
      schemas: { RequestId: requestId, ...errorSchemas(operations), ...shared.definitions },
    },
  }
}

const requestId: JsonSchema = {
  type: 'string',
  pattern: '^req_[0-9a-f]{16}$',
  description: 'Safe to log; identifies the request in the log of the server',
}

function pathsOf(entries: readonly (readonly [Operation, OperationObject])[]): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, OperationObject>> = {}
  for (const [op, object] of entries) paths[op.path] = { ...paths[op.path], [op.method.toLowerCase()]: object }
  return paths
}

function errorSchemas(operations: readonly Operation[]): Record<string, JsonSchema> {
  const codes = [...new Set(operations.flatMap(errorsOf))].sort()
  return Object.fromEntries(codes.map((code) => [errorSchemaName(code), errorSchema(code)]))
}
