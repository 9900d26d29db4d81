import type { TableName } from '../../db/table-declaration.js'
import type { RowValues } from './row-values.js'

/**
 * Checks that the rows of an archive agree on the sizes of their bytes, and deliveries on their hosts: limits count what the rows say, and
 * readers take the memory for it. Rows come after those to which the database has a foreign key.
 */
export class ArchivedLinks {
  /** By the key of the object. */
  readonly #objects = new Map<string, number>()
  /** Bytes of each file that parts or contents must still have, by its id. */
  readonly #missing = new Map<number, number>()
  /** The sizes of files, by id. */
  readonly #sizes = new Map<number, number>()
  /** The hosts of targets, by the id of the webhook. */
  readonly #targets = new Map<number, string>()
  /** The hosts of waiting deliveries, which limits count, by the id of the webhook. */
  readonly #waiting = new Map<number, Set<string>>()

  /** @returns what is wrong, as a sentence */
  add(table: TableName, row: RowValues): string | undefined {
    const number = (column: string) => Number(row[column])
    switch (table) {
      case 'blob':
        this.#objects.set(String(row['key']), number('size'))
        return undefined
      case 'file':
        this.#sizes.set(number('id'), number('size'))
        this.#missing.set(number('id'), number('size'))
        return undefined
      case 'file_part':
        return this.#part(row) ?? this.#within(row, 0, number('size'), true)
      case 'file_content':
        return this.#subtract(number('file_id'), (row['bytes'] as Buffer).length)
      case 'package_artifact':
        return this.#within(row, 0, number('size'), true)
      case 'site_content':
        return this.#content(row)
      case 'deployment':
        if (typeof row['target'] === 'string') this.#targets.set(number('id'), new URL(row['target']).host)
        return undefined
      case 'webhook_delivery':
        if (row['due_at'] !== null) this.#wait(number('deployment_id'), String(row['host']))
        return undefined
      default:
        return undefined
    }
  }

  /** After the last row. @returns what is wrong, as a sentence */
  finish(): string | undefined {
    for (const [id, bytes] of this.#missing) if (bytes !== 0) return `file ${String(id)}: its bytes are missing.`
    for (const [id, hosts] of this.#waiting)
      for (const host of hosts)
        // Without a target, waiting deliveries end unsent.
        if ((this.#targets.get(id) ?? host) !== host)
          return `webhook_delivery of deployment ${String(id)}: host must be that of the target.`
    return undefined
  }

  #wait(id: number, host: string): void {
    const hosts = this.#waiting.get(id) ?? new Set()
    this.#waiting.set(id, hosts.add(host))
  }

  /** Parts are in the order of their positions. */
  #part(row: RowValues): string | undefined {
    const id = Number(row['file_id'])
    const wholeSize = this.#sizes.get(id) ?? 0
    const before = wholeSize - (this.#missing.get(id) ?? 0)
    return row['start'] === before ? this.#subtract(id, Number(row['size'])) : 'start must follow the part before it.'
  }

  #subtract(id: number, bytes: number): string | undefined {
    const missing = this.#missing.get(id)
    if (missing === undefined || bytes > missing) return 'size is larger than the file.'
    this.#missing.set(id, missing - bytes)
    return undefined
  }

  #content(row: RowValues): string | undefined {
    const number = (column: string) => Number(row[column])
    const forms = ['gzip', 'br'].map((form) => [row[`${form}_start`], row[`${form}_size`]] as const)
    const hasHalf = forms.some(([start, size]) => (start === null) !== (size === null))
    if (hasHalf) return 'gzip_size and br_size must have their positions.'
    return (
      this.#within(row, number('start'), number('size'), false) ??
      forms.map(([start, size]) => this.#within(row, Number(start), Number(size), false)).find((problem) => problem)
    )
  }

  #within(row: RowValues, start: number, size: number, isWhole: boolean): string | undefined {
    const stored = this.#objects.get(String(row['blob_key']))
    if (stored === undefined) return 'blob_key must be the key of an object of the archive.'
    const end = start + size
    return end > stored || (isWhole && end !== stored)
      ? `size does not fit its object of ${String(stored)} bytes.`
      : undefined
  }
}
