import type { Operation } from '../operation.js'
import { shellQuoted } from './shell-quoted.js'

/** The operation's example as a shell command, which reads the token from `SVC_TOKEN`. */
export function curl(op: Operation, baseUrl: string): string {
  const { params, query = {}, body } = op.example
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params?.[name])))
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  // Unquoted, `&` would end the shell command and `?` would be a pattern.
  const url = pairs.length > 0 ? shellQuoted(`${baseUrl}${path}?${pairs.join('&')}`) : `${baseUrl}${path}`
  const parts = [
    command(op),
    url,
    op.access === 'public' ? '' : '-H "Authorization: Bearer $SVC_TOKEN"',
    body === undefined ? '' : `-H 'Content-Type: application/json' -d ${shellQuoted(JSON.stringify(body))}`,
  ]
  return parts.filter(Boolean).join(' ')
}

function command({ method, produces = [] }: Operation): string {
  // Without a buffer, which would hold back events.
  if (produces.includes('text/event-stream')) return 'curl -N'
  return method === 'GET' ? 'curl' : `curl -X ${method}`
}
