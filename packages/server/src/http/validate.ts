import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { additionKey, ApiError, badRequest, openKey, ruleKey, type ByteField, type Operation } from '@svc/contract'
import { shortened } from '../shared/quoted.js'
import { refusalOf, secretFormat } from './validation-message.js'

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

/** A misspelt parameter must not read as "no filter": a script would change the records of all names. */
const closed = { additionalProperties: false }

/** The schema without a field. */
function withoutField(schema: object, field: string): object {
  const { properties = {}, required = [], ...rest } = schema as { properties?: object; required?: string[] }
  const others = Object.entries(properties).filter(([name]) => name !== field)
  return { ...rest, properties: Object.fromEntries(others), required: required.filter((name) => name !== field) }
}

const textSchema = (body: object, { field, each }: ByteField): object => (each ? body : withoutField(body, field))

/** The checks of an operation's input. All throw ApiError `bad_request` for input that does not have its declared form. */
export type InputChecks = ReturnType<ReturnType<typeof inputChecks>>

/** The checks of an operation's input. Queries and forms are text, and are converted to the declared types; JSON is not. */
export function inputChecks() {
  const ajv = new Ajv({
    strict: true,
    strictTypes: false,
    verbose: true,
    keywords: [openKey, additionKey],
    allowUnionTypes: true,
    // Of the formats, only this one is in inputs: messages do not quote its values.
    formats: { [secretFormat]: true as const },
    // Compiling the meta-schema takes as long as compiling all operations. The contract's tests check the schemas against it.
    meta: false,
    validateSchema: false,
    // Optimizing the source takes a third of the remaining time, and makes it no faster.
    code: { optimize: false },
  })

  return (op: Operation) => {
    const params = op.params && checked(ajv, op.params, 'path')
    const query = op.query && checked(ajv, { ...op.query, ...closed }, 'query')
    const body = op.body && checked(ajv, op.body, 'body')
    // The fields of a body besides its bytes, as text. Of several files, the names are checked too.
    const text = op.body && op.bytes && textSchema(op.body, op.bytes)
    const form = text && checked(ajv, text, 'body')
    const bodyQuery = text && checked(ajv, text, 'query')
    return {
      params: (given: unknown) => (params ? params(given) : {}),
      query: (given: unknown, url: string) => (query ? query(readQuery(given, url, op.query)) : requireNoQuery(given)),
      body: (given: unknown) => (body ? body(requireObject(given)) : requireNone(given)),
      /** The fields of a form besides its one file part, or with several. */
      form: (given: object) => (form ? form(fromText(text, given)) : given),
      /** The fields of a body that is nothing but bytes: they are in the query. */
      bodyQuery: (given: unknown, url: string) => (bodyQuery ? bodyQuery(readQuery(given, url, text)) : {}),
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
    throw error ? refusalOf(error, where) : new ApiError('bad_request', `The ${where} is not valid.`)
  }
}

function readQuery(given: unknown, url: string, schema: object | undefined): object {
  refuseBadEncoding(url)
  return fromText(schema, given as object)
}

function requireObject(given: unknown): object {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given
  if (given === undefined) throw new ApiError('bad_request', 'A JSON object is required as the body.')
  throw new ApiError('bad_request', 'The body must be a JSON object.')
}

function requireNone(given: unknown): object {
  if (given === undefined) return {}
  const field = Object.keys(requireObject(given))[0]
  if (field !== undefined) throw badRequest(shortened(field), 'is not known: this operation takes no fields')
  return {}
}

function requireNoQuery(given: unknown): object {
  for (const name in given as object)
    throw badRequest(shortened(name), 'is not known in this query: it takes no parameters')
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

/** Only decimal digits: `Number` would also read `0x10`, `1e3`, `+5` and spaces. */
const decimal = /^\d+$/

/**
 * Converts the integers and booleans of a query or a form, which are text, to their declared types. Any other text stays as it is, so
 * that the validator refuses it with a message that quotes it.
 * @param given values by name; a name that was given several times has a list
 */
function fromText(schema: object | undefined, given: object): object {
  const { properties = {} } = (schema ?? {}) as { readonly properties?: Readonly<Record<string, { type?: unknown }>> }
  const fields: Record<string, unknown> = { ...given }
  for (const [name, { type }] of Object.entries(properties)) {
    const text = fields[name]
    if (typeof text === 'string') fields[name] = convert(type, text)
  }
  return fields
}

function convert(type: unknown, text: string): unknown {
  if (type === 'integer' && decimal.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
