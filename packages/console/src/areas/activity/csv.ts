import { stringify } from 'csv-stringify/browser/esm/sync'
import { eventText } from './event-words.js'
import type { AccountEvent } from './queries.js'

/** Events as CSV (RFC 4180), in the same form as the exports of the server. */

const columns = [
  'at',
  'event',
  'area',
  'action',
  'object',
  'actor_kind',
  'actor_name',
  'token_id',
  'network',
  'request_id',
  'serial',
  'before',
  'after',
] as const

const row = (event: AccountEvent): Record<(typeof columns)[number], string> => ({
  at: event.at,
  event: eventText(event),
  area: event.area,
  action: event.action,
  object: event.object,
  actor_kind: event.actor.kind,
  actor_name: event.actor.name,
  token_id: event.actor.id === null ? '' : String(event.actor.id),
  network: event.network ?? '',
  request_id: event.request_id ?? '',
  serial: event.serial === undefined ? '' : String(event.serial),
  before: event.before === null ? '' : JSON.stringify(event.before),
  after: event.after === null ? '' : JSON.stringify(event.after),
})

// Spreadsheets run cells that begin with =, +, -, @, a tab or CR as formulas, and end a row at a lone CR or LF.
const toLines = (rows: readonly (readonly string[])[]): string =>
  stringify([...rows], { escape_formulas: true, record_delimiter: 'windows', quoted_match: /[\r\n]/ })

/** The first line. Without the mark before it, Excel reads the file in the encoding of the system. */
export const csvHead = `\uFEFF${toLines([columns])}`

/** A line for each event. */
export const csvLines = (events: readonly AccountEvent[]): string =>
  toLines(
    events.map((event) => {
      const cells = row(event)
      return columns.map((column) => cells[column])
    }),
  )
