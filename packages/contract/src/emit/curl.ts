import type { Operation } from '../operation.js'

/** The operation's own example as a shell command; the token is read from `SVC_TOKEN`. */
export function curl(op: Operation, baseUrl: string): string {
  const { params, query = {}, body } = op.example
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params?.[name])))
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  // Without quotes the shell would take `&` for the end of the command and `?` for a pattern.
  const url = pairs.length > 0 ? quoted(`${baseUrl}${path}?${pairs.join('&')}`) : `${baseUrl}${path}`
  const parts = [
    op.method === 'GET' ? 'curl' : `curl -X ${op.method}`,
    url,
    op.access === 'public' ? '' : '-H "Authorization: Bearer $SVC_TOKEN"',
    body === undefined ? '' : `-H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`,
  ]
  return parts.filter(Boolean).join(' ')
}

/** In single quotes, as POSIX shells read it (POSIX.1-2017, Shell Command Language, section 2.2.2). */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
