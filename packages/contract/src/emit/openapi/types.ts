import type { additionKey, openKey } from '../../operation.js'
import type { Json, JsonSchema } from '../json-schema.js'

/** The parts of OpenAPI 3.1 that the document uses (https://spec.openapis.org/oas/v3.1.0). */

export interface Ref {
  readonly $ref: string
}

export interface ExampleObject {
  readonly summary: string
  readonly value: Json
}

export interface MediaType {
  readonly schema?: JsonSchema
  readonly example?: Json
  readonly examples?: Readonly<Record<string, ExampleObject>>
  readonly [openKey]?: string
}

export interface Header {
  readonly description: string
  readonly schema: JsonSchema
  readonly example?: Json
}

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Ref>>
  readonly content?: Readonly<Record<string, MediaType>>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
  readonly example?: Json
  readonly [openKey]?: string
  readonly [additionKey]?: true
}

export interface OperationObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security: readonly SecurityRequirement[]
  readonly 'x-required-scopes'?: readonly string[]
  readonly [openKey]?: string
  readonly [additionKey]?: true
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: true; readonly content: Readonly<Record<string, MediaType>> }
  readonly responses: Readonly<Record<string, ResponseObject | Ref>>
}

export type SecurityRequirement = Readonly<Record<string, readonly string[]>>

export interface SecurityScheme {
  readonly type: 'http'
  readonly scheme: 'bearer'
  readonly bearerFormat: string
  readonly description: string
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary: string
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
    readonly headers: Readonly<Record<string, Header>>
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly schemas: Readonly<Record<string, JsonSchema>>
  }
}
