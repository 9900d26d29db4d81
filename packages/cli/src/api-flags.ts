import { isUtf8 } from 'node:buffer'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { fieldsOf, shellQuoted, type Field, type JsonSchema, type Operation } from '@svc/contract'
import { readInput } from './input.js'

/** A field of an operation's input as a flag. */
export interface Flag {
  readonly field: Field
  /** `--upload-id` for `upload_id`. */
  readonly flag: string
  readonly options: readonly Option[]
}

/**
 * The flags of an operation: path, query and body, in the order of the contract.
 * @param replacedByFile the names of the fields that FILE replaces
 */
export const flagsOf = (op: Operation, replacedByFile: readonly string[] = []): Flag[] =>
  [op.params, op.query, op.body]
    .flatMap(fieldsOf)
    .map((field) => ({
      field,
      flag: flagOf(field.name),
      options: optionsOf(
        field,
        field.required && (replacedByFile.includes(field.name) ? 'required without FILE' : 'required'),
      ),
    }))

/** Flags that every command has (`api-connection.ts`). A field of such a name gets another one. */
const flagsOfConnection: ReadonlySet<string> = new Set(['url', 'token', 'timeout', 'raw'])

/** `--upload-id` for `upload_id`, `--of-token` for `token`. */
export const flagOf = (name: string) => `--${flagsOfConnection.has(name) ? 'of-' : ''}${name.replaceAll('_', '-')}`

/** @param requirement the note for a required field; false for an optional one */
function optionsOf(field: Field, requirement: string | false): Option[] {
  const { name, schema } = field
  const about = describe(field, requirement)
  const no = new Option(flagOf(`no_${name}`)).hideHelp()
  if (schema.type === 'boolean')
    return [new Option(`${flagOf(name)} [true|false]`, about).argParser((given) => valueOf(schema, given)), no]
  const items = schema.type === 'array' ? (schema.items ?? {}) : undefined
  const option = new Option(`${flagOf(name)} <${placeholder(items ?? schema)}>`, about)
  return [
    items
      ? option.argParser((given, before: unknown[] | undefined) => [...(before ?? []), valueOf(items, given)])
      : option.argParser((given) => valueOf(schema, given)),
    ...(isNullable(schema) ? [no] : []),
  ]
}

/** `type` is a list if null is possible. */
const typesOf = ({ type }: JsonSchema): readonly (string | undefined)[] => [type].flat()

const isNullable = (schema: JsonSchema): boolean => typesOf(schema).includes('null')

const typeOf = (schema: JsonSchema): string | undefined => typesOf(schema).find((type) => type !== 'null')

function placeholder(schema: JsonSchema): string {
  const type = typeOf(schema) ?? 'text'
  if (type === 'object' || type === 'array') return 'json'
  return type === 'string' ? 'text' : type
}

/** The accepted values as text; undefined if they are not listed. */
const choicesOf = ({ const: only, enum: several }: JsonSchema): string[] | undefined =>
  (only === undefined ? several : [only])?.map((choice) =>
    typeof choice === 'string' ? choice : JSON.stringify(choice),
  )

function describe({ name, schema }: Field, requirement: string | false): string {
  const choices = choicesOf(schema.items ?? schema)
  const notes = [
    requirement,
    choices && `one of ${choices.join(', ')}`,
    schema.type === 'array' && 'may be repeated',
    schema.type === 'boolean' && `or ${flagOf(`no_${name}`)}`,
    isNullable(schema) && `${flagOf(`no_${name}`)} for null`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ].filter(Boolean)
  return [schema.description, notes.length > 0 && `(${notes.join('; ')})`].filter(Boolean).join(' ')
}

/** Parses a value by its schema. @throws InvalidArgumentError; commander adds the flag and the value */
function valueOf(schema: JsonSchema, given: string): unknown {
  const choices = choicesOf(schema)
  if (choices && !choices.includes(given)) throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}.`)
  return typed(typeOf(schema), given)
}

function typed(type: string | undefined, given: string): unknown {
  switch (type) {
    case 'integer':
      if (!/^-?\d+$/.test(given) || !Number.isSafeInteger(Number(given)))
        throw new InvalidArgumentError('It must be an integer.')
      return Number(given)
    case 'number':
      if (given.trim() === '' || !Number.isFinite(Number(given))) throw new InvalidArgumentError('It must be a number.')
      return Number(given)
    case 'boolean':
      if (given !== 'true' && given !== 'false') throw new InvalidArgumentError('It must be true or false.')
      return given === 'true'
    case 'object':
    case 'array':
      return json(given)
    default:
      return given
  }
}

function json(given: string): unknown {
  try {
    return JSON.parse(given) as unknown
  } catch (error) {
    throw new InvalidArgumentError(`It must be JSON: ${(error as Error).message}`)
  }
}

/** The fields that were given as flags. */
export function givenFields(flags: readonly Flag[], command: Command): Record<string, unknown> {
  const given = flags.map(({ field, options }) => {
    const value: unknown = command.getOptionValue(options[0]?.attributeName() ?? '')
    return [field.name, value === false && isNullable(field.schema) ? null : value]
  })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Record<string, unknown>
}

/** Above the largest body of every operation. */
const bodyMaxBytes = 64 * 2 ** 20

/** Reads a body that is sent whole. @param what for the error; an unreadable or too large file is a usage error */
export async function readLimited(file: string, what: string, command: Command): Promise<Buffer<ArrayBuffer>> {
  try {
    const bytes = await readInput(file, bodyMaxBytes)
    return bytes ?? command.error(`error: ${what} must have at most ${bodyMaxBytes / 2 ** 20} MiB`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    return command.error(`error: ${what} cannot be read: ${(error as Error).message}`)
  }
}

/** The same for text in UTF-8. */
export async function readText(file: string, what: string, command: Command): Promise<string> {
  const bytes = await readLimited(file, what, command)
  // Decoding would replace invalid bytes by U+FFFD, which would be stored.
  return isUtf8(bytes) ? bytes.toString() : command.error(`error: ${what} must be UTF-8`)
}

/** Reads the JSON object of `--body`; anything else is a usage error. */
export async function readBody(file: string, command: Command): Promise<Record<string, unknown>> {
  const text = await readText(file, '--body', command)
  try {
    const body = JSON.parse(text) as unknown
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return command.error(`error: --body must be a JSON object: ${error.message}`)
  }
  return command.error('error: --body must be a JSON object')
}

/** The flags of the operation's example, quoted for a shell. */
export const exampleOf = ({ example: { params, query, body } }: Operation): string =>
  wordsOf({ ...params, ...query, ...body })

/** The same with a file instead of the fields that it replaces. */
export function fileExampleOf(
  { bytes, fileText, example: { params, query, body } }: Operation,
  replacedByFile: readonly string[],
): string {
  const flags = Object.entries({ ...params, ...query, ...body }).filter(([name]) => !replacedByFile.includes(name))
  const { field = '', each, name = '' } = bytes ?? {}
  const listed = (body?.[field] ?? []) as readonly Readonly<Record<string, unknown>>[]
  const usual = replacedByFile.includes('name') ? body?.['name'] : fileText === undefined ? 'part.bin' : 'file.txt'
  const names = each ? listed.map((entry) => entry[each.name]) : [body?.[name] ?? usual]
  return ` ${names.map(quotedItem).join(' ')}${wordsOf(Object.fromEntries(flags))}`
}

function wordsOf(fields: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(fields).flatMap(([name, value]) => {
    if (typeof value === 'boolean' || value === null) return [flagOf(value ? name : `no_${name}`)]
    return (Array.isArray(value) ? value : [value]).map((item: unknown) => `${flagOf(name)} ${quotedItem(item)}`)
  })
  return words.map((word) => ` ${word}`).join('')
}

const quotedItem = (value: unknown): string => shellQuoted(typeof value === 'string' ? value : JSON.stringify(value))
