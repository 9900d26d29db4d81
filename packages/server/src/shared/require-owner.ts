import { forbidden, notFound } from '@svc/contract/errors'

interface OwnedRow {
  readonly account_id: number
}

/**
 * Checks that a row was found and belongs to the account (specification, section 1).
 * @param what names the resource in the error: `session`
 * @throws ApiError `not_found`; `forbidden` for a row of another account
 */
export function requireOwner<Row extends OwnedRow>(
  row: Row | undefined,
  accountId: number,
  what: string,
  id: number | string,
): asserts row is Row {
  if (row === undefined) throw notFound(`${what} ${String(id)}`)
  if (row.account_id !== accountId) throw forbidden(what)
}
