import Table from 'cli-table3'
import type { Account, Token } from '@svc/server'

/** What was asked for goes to stdout, so that it can be piped; what is said about it goes to stderr. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`)

export const note = (text: string): void => void process.stderr.write(`${text}\n`)

export const printJson = (value: unknown): void => {
  print(JSON.stringify(value, null, 2))
}

const time = (ms: number): string => new Date(ms).toISOString()

/** An account, as the API shows it. */
export const userJson = ({ id, email, nickname, createdAt }: Account) => ({
  id,
  email,
  nickname,
  created_at: time(createdAt),
})

/** A token without its value, as the API shows it. */
export const tokenJson = ({ id, name, prefix, scopes, createdAt, lastUsedAt }: Token) => ({
  id,
  name,
  prefix,
  scopes,
  created_at: time(createdAt),
  last_used_at: lastUsedAt === null ? null : time(lastUsedAt),
})

const noLines = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '', 'bottom-left': '' },
  ...{ 'bottom-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
}

/** Rows under a head, aligned. */
export function printTable(head: string[], rows: string[][]): void {
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 }
  const table = new Table({ head, chars: noLines, style })
  table.push(...rows)
  print(table.toString())
}
