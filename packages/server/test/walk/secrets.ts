import { randomBytes } from 'node:crypto'

/** Collects the secrets that requests and answers of a walk have, to look for them elsewhere. */

/** Names of fields whose texts are secrets, in requests and in answers. */
const secretNames: ReadonlySet<string> = new Set([
  ...['secret', 'signing_key', 'passphrase', 'password', 'current_password', 'code', 'content', 'archive'],
  ...['token', 'key', 'private_key', 'share_url'],
])

/** Fields that are secrets of one operation only: the address of a calendar is known to its owner alone. */
const secretsOf: Readonly<Record<string, readonly string[]>> = { 'domains.calendarCreate': ['url'] }

/** Secrets that a request may choose: a test gives each of them another one. */
const chosenNames: ReadonlySet<string> = new Set(['secret', 'signing_key', 'passphrase'])

/** A shorter text could be a part of another one by chance. */
const lengthMin = 8

export class Secrets {
  /** The secrets, each with the operation that had it first. */
  readonly texts = new Map<string, string>()

  /** A new secret. */
  canary(operation: string): string {
    const text = `canary-${randomBytes(12).toString('hex')}`
    this.add(operation, text)
    return text
  }

  add(operation: string, text: string): void {
    if (text.length >= lengthMin && !this.texts.has(text)) this.texts.set(text, operation)
  }

  /** Adds the secret texts of a request or an answer. */
  collect(operation: string, value: unknown): void {
    visit(value, (name, text) => {
      if (secretNames.has(name) || secretsOf[operation]?.includes(name) === true) this.add(operation, text)
      return text
    })
  }

  /** A body with new secrets in all fields that may have any text, and in the queries of addresses. */
  withCanaries(operation: string, body: unknown): unknown {
    return visit(body, (name, text) => {
      if (chosenNames.has(name)) return this.canary(operation)
      if (name === 'content') return this.#bytes(operation)
      return name === 'target' ? `${text}?key=${this.canary(operation)}` : text
    })
  }

  #bytes(operation: string): string {
    const content = Buffer.from(this.canary(operation)).toString('base64')
    this.add(operation, content)
    return content
  }

  /** The operations whose secrets are in a text. */
  foundIn(text: string): readonly string[] {
    return [...this.texts].filter(([secret]) => text.includes(secret)).map(([, operation]) => operation)
  }
}

/** A copy of a JSON value, with another text for each text. @param change gets the name of the innermost field around a text */
function visit(value: unknown, change: (name: string, text: string) => string, name = ''): unknown {
  if (typeof value === 'string') return change(name, value)
  if (Array.isArray(value)) return value.map((item) => visit(item, change, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, visit(inner, change, field)]))
}
