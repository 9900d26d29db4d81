import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { additionKey, openKey, ruleKey } from '@svc/contract'

const ajv = new Ajv({
  strict: true,
  strictTypes: false,
  allErrors: true,
  allowUnionTypes: true,
  keywords: [additionKey, openKey, ruleKey],
})
formats.default(ajv)

const compiled = new WeakMap<object, ValidateFunction>()

/** The validation errors of a value; empty if it is valid. */
export function problems(schema: object, value: unknown): string {
  let validate = compiled.get(schema)
  if (validate === undefined) compiled.set(schema, (validate = ajv.compile(plain(schema))))
  return validate(value) ? '' : ajv.errorsText(validate.errors)
}

const plain = (schema: object) => JSON.parse(JSON.stringify(schema)) as object

const shutSchemas = new WeakMap<object, object>()

/**
 * The schema with `additionalProperties: false` in every object, so that an undeclared key in an answer is an error. The same
 * object for the same schema, because compiling one takes milliseconds.
 */
export function shut(schema: object): object {
  let found = shutSchemas.get(schema)
  if (found === undefined) shutSchemas.set(schema, (found = withoutOtherKeys(schema)))
  return found
}

const withoutOtherKeys = (schema: object): object =>
  JSON.parse(JSON.stringify(schema), (_key, part: unknown) =>
    isOpenObject(part) ? { ...part, additionalProperties: false } : part,
  ) as object

const isOpenObject = (part: unknown): part is object =>
  typeof part === 'object' &&
  part !== null &&
  'type' in part &&
  part.type === 'object' &&
  'properties' in part &&
  !('additionalProperties' in part)
