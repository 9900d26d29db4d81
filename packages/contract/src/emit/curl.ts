import type { Operation } from '../operation.js'

/** The operation's example as a shell command, which reads the token from `SVC_TOKEN`. */
export function curl(op: Operation, baseUrl: string): string {
  const { params, query = {}, body } = op.example
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params?.[name])))
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  // Unquoted, `&` would end the shell command and `?` would be a pattern.
  const url = pairs.length > 0 ? quoted(`${baseUrl}${path}?${pairs.join('&')}`) : `${baseUrl}${path}`
  const parts = [
    op.method === 'GET' ? 'curl' : `curl -X ${op.method}`,
    url,
    op.access === 'public' ? '' : '-H "Authorization: Bearer $SVC_TOKEN"',
    body === undefined ? '' : `-H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`,
  ]
  return parts.filter(Boolean).join(' ')
}

/** Quotes a word for POSIX shells (POSIX.1-2017, Shell Command Language, section 2.2.2). */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
