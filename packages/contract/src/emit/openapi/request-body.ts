import { openKey, type ByteField, type Operation } from '../../operation.js'
import { fieldsOf, type Field, type Json } from '../json-schema.js'
import { rawForm } from './responses.js'
import type { SharedSchemas } from './shared-schemas.js'
import type { MediaType } from './types.js'

const form = 'multipart/form-data'

/** The body of an operation in each of its media types. */
export function bodyContent(op: Operation, body: object, shared: SharedSchemas): Record<string, MediaType> {
  const example = op.example.body as Json | undefined
  // Section 4 of the specification has JSON bodies only, so every other media type is an open detail.
  const others = Object.entries(op.otherBodies ?? {}).map(([type, why]) => {
    const content = type === form && op.bytes ? { schema: shared.refer(formSchema(body, op.bytes)) } : rawForm(type)
    return [type, { ...content, [openKey]: why }]
  })
  return {
    'application/json': { schema: shared.refer(body), ...(example !== undefined && { example }) },
    ...(Object.fromEntries(others) as Record<string, MediaType>),
  }
}

/** The fields of a form: bytes are a file part (OpenAPI 3.1.0, section 4.8.14.5), whose name and type are defaults. */
function formSchema(body: object, { field, each, name, mediaType }: ByteField): object {
  const fields = fieldsOf(body)
  const properties = fields.map((one) => [one.name, one.name === field ? fileParts(one, each !== undefined) : one.schema] as const)
  const required = fields.filter((one) => one.required && one.name !== name && one.name !== mediaType)
  return { ...body, properties: Object.fromEntries(properties), required: required.map((one) => one.name) }
}

const filePart = { type: 'string', contentMediaType: 'application/octet-stream' } as const

const fileParts = ({ schema }: Field, isList: boolean) => ({
  ...(isList
    ? { type: 'array', items: filePart, description: 'The files, each as a file part with its name' }
    : { ...filePart, description: 'The bytes, as a file part' }),
  ...(schema[openKey] !== undefined && { [openKey]: schema[openKey] }),
})

/** The fields that are in the query if the body is nothing but bytes, with the media types of such bodies; none without one. */
export function fieldsBesideBytes(op: Operation): { readonly fields: readonly Field[]; readonly types: readonly string[] } {
  const types = op.bytes ? Object.keys(op.otherBodies ?? {}).filter((type) => type !== form) : []
  return { fields: types.length > 0 ? fieldsOf(op.body).filter(({ name }) => name !== op.bytes?.field) : [], types }
}
