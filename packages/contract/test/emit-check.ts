import { Ajv2020 } from 'ajv/dist/2020.js'
import * as formats from 'ajv-formats'
import type { OpenApiDocument } from '../src/index.js'

/** A validator without knowledge of the contract, like the tool of an integrator. */
export function validator() {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default.default(ajv)
  return ajv
}

type Media = NonNullable<OpenApiDocument['components']['responses'][string]['content']>

/** The errors in the examples of a document; empty if every example is valid against its schema. */
export function badExamples(document: OpenApiDocument): string[] {
  const ajv = validator()
  const against = (schema: object, value: unknown, where: string) =>
    ajv.validate({ ...schema, components: document.components }, value) ? [] : [`${where}: ${ajv.errorsText()}`]
  const inContent = (content: Media | undefined, where: string) =>
    Object.entries(content ?? {}).flatMap(([type, { schema = {}, example, examples = {} }]) => [
      ...(example === undefined ? [] : against(schema, example, `${where} ${type}`)),
      ...Object.entries(examples).flatMap(([name, { value }]) => against(schema, value, `${where} ${type} ${name}`)),
    ])
  const inOperations = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, parameters = [], requestBody, responses }) => [
      ...parameters.flatMap(({ name, schema, example }) =>
        example === undefined ? [] : against(schema, example, `${operationId} ${name}`),
      ),
      ...inContent(requestBody?.content, `${operationId} body`),
      ...Object.entries(responses).flatMap(([status, response]) =>
        '$ref' in response ? [] : inContent(response.content, `${operationId} ${status}`),
      ),
    ])
  const inComponents = Object.entries(document.components.responses).flatMap(([name, { content }]) =>
    inContent(content, name),
  )
  return [...inOperations, ...inComponents]
}
