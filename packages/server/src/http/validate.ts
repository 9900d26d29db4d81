import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { ApiError, openKey, ruleKey, type ByteField, type Operation } from '@svc/contract'
import { messageOf, secretFormat } from './validation-message.js'

/** JSON.parse rounds larger integers to a number that the caller did not write (RFC 7493, 2.2). */
const exact = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

/** The schema for the check before the handler: integers are exact, and limits that the area checks (`byRule`) are left out. */
export const checkedSchema = (schema: object): object =>
  JSON.parse(JSON.stringify(schema), (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null || !('type' in part)) return part
    const kept = ruleKey in part ? without(part, part[ruleKey] as string[]) : part
    return part.type === 'integer' ? { ...exact, ...kept } : kept
  }) as object

const without = (schema: object, limits: readonly string[]): object =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== ruleKey && !limits.includes(keyword)))

/** The schema without a field. */
function withoutField(schema: object, field: string): object {
  const { properties = {}, required = [], ...rest } = schema as { properties?: object; required?: string[] }
  const others = Object.entries(properties).filter(([name]) => name !== field)
  return { ...rest, properties: Object.fromEntries(others), required: required.filter((name) => name !== field) }
}

const textSchema = (body: object, { field, each }: ByteField): object => (each ? body : withoutField(body, field))

/** The checks of an operation's input. All throw ApiError `bad_request` for input that does not have its declared form. */
export type InputChecks = ReturnType<ReturnType<typeof inputChecks>>

/** The checks of an operation's input. Values are coerced in query strings and forms, not in JSON. */
export function inputChecks() {
  const shared = {
    ...{ strict: true, strictTypes: false, verbose: true, keywords: [openKey], allowUnionTypes: true },
    // Of the formats, only this one is in inputs: messages do not quote its values.
    formats: { [secretFormat]: true as const },
    // Compiling the meta-schema takes as long as compiling all operations. The contract's tests check the schemas against it.
    ...{ meta: false, validateSchema: false },
    // Optimizing the source takes a third of the remaining time, and makes it no faster.
    code: { optimize: false },
  }
  const strict = new Ajv({ ...shared, coerceTypes: false })
  // Ajv coerces 1e999 to Infinity. With strictNumbers it would then skip the minimum and the maximum, as for text.
  const lenient = new Ajv({ ...shared, coerceTypes: true, strictNumbers: false })

  return (op: Operation) => {
    const params = op.params && checked(strict, op.params, 'path')
    const query = op.query && checked(lenient, op.query, 'query')
    const body = op.body && checked(strict, op.body, 'body')
    // The fields of a body besides its bytes, as text. Of several files, the names are checked too.
    const text = op.body && op.bytes && textSchema(op.body, op.bytes)
    const form = text && checked(lenient, text, 'body')
    const bodyQuery = text && checked(lenient, text, 'query')
    return {
      params: (given: unknown) => (params ? params(given) : {}),
      query: (given: unknown, url: string) => {
        if (!query) return {}
        refuseBadEncoding(url)
        return query(given)
      },
      body: (given: unknown) => (body ? body(requireObject(given)) : requireNone(given)),
      /** The fields of a form besides its one file part, or with several. */
      form: (given: object) => (form ? form(given) : given),
      /** The fields of a body that is nothing but bytes: they are in the query. */
      bodyQuery: (given: unknown, url: string) => {
        refuseBadEncoding(url)
        return bodyQuery ? bodyQuery(given) : {}
      },
    }
  }
}

type Where = 'path' | 'query' | 'body'

/** Compiled at the first request, in 2 ms: compiling all takes a twentieth of the start, and 3 MB. */
function checked(ajv: Ajv, schema: object, where: Where): (given: unknown) => object {
  let validate: ValidateFunction | undefined
  return (given) => {
    validate ??= ajv.compile(checkedSchema(schema))
    if (validate(given)) return given as object
    const error = (validate.errors as ErrorObject[])[0]
    throw new ApiError('bad_request', error ? messageOf(error, where) : `The ${where} is not valid.`)
  }
}

function requireObject(given: unknown): object {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given
  if (given === undefined) throw new ApiError('bad_request', 'A JSON object is required as the body.')
  throw new ApiError('bad_request', 'The body must be a JSON object.')
}

function requireNone(given: unknown): object {
  if (given === undefined) return {}
  const field = Object.keys(requireObject(given))[0]
  if (field !== undefined) throw new ApiError('bad_request', `${field} is not known: this operation takes no fields.`)
  return {}
}

/** The query parser returns text that it cannot decode unchanged, as if the caller had meant it literally. */
function refuseBadEncoding(url: string): void {
  const query = url.indexOf('?')
  if (query === -1 || !url.includes('%', query)) return
  try {
    decodeURIComponent(url.slice(query + 1))
  } catch {
    throw new ApiError('bad_request', 'The query string is not percent-encoded UTF-8 (RFC 3986, section 2.1).')
  }
}
