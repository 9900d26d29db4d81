import { shellQuoted } from '@svc/contract'
import type { RequestDetail } from './queries.js'

/** Code that users paste into their pages, servers and terminals. */

/** A form for a page without a script. `_gotcha` is a trap for programs that fill in all fields. */
export const formHtml = (url: string): string => `<form action="${url}" method="post">
  <input type="hidden" name="_subject" value="Question from the site" />
  <input type="hidden" name="_next" value="/thanks" />
  <input name="_gotcha" style="display: none" tabindex="-1" autocomplete="off" />
  <label>Email <input type="email" name="email" required /></label>
  <label>Message <textarea name="message"></textarea></label>
  <button>Send</button>
</form>`

/** The same for a page with a script. */
export const formScript = (url: string): string => `const answer = await fetch('${url}', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ email: 'ada@example.com', message: 'Hello' }),
})
// {"ok": true}; on an error, a status of 400 or more and one line of text`

/** A first submission from a terminal. @param origin one of the sites that may send the form; undefined if all may */
export const formCurl = (url: string, origin: string | undefined): string =>
  ['curl', shellQuoted(url), ...(origin === undefined ? [] : ['-H', shellQuoted(`Origin: ${origin}`)])]
    .concat(['-d', 'email=ada@example.com', '-d', 'message=Hello'])
    .join(' ')

/** A first request to a webhook. */
export const webhookCurl = (url: string): string => `curl ${shellQuoted(url)} -d '{"hello": "world"}'`

/** Headers that curl writes itself. */
const ownHeaders: ReadonlySet<string> = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'expect'])

/** A command that sends a received request again. @param url of the webhook */
export function repeatCurl(url: string, request: RequestDetail): string {
  const { method, path, query, headers, body, body_encoding: encoding } = request
  const address = `${url}${path}${query === '' ? '' : `?${query}`}`
  // The sender chose the path: without -g, curl would send a hundred requests for [1-100].
  const lines = [`curl -g -X ${shellQuoted(method)} ${shellQuoted(address)}`]
  for (const { name, value } of headers)
    if (!ownHeaders.has(name.toLowerCase())) lines.push(`-H ${shellQuoted(`${name}: ${value}`)}`)
  const isBinary = encoding === 'base64'
  // curl would read a file for a text that begins with @, except with --data-raw.
  if (body !== '') lines.push(isBinary ? '--data-binary @-' : `--data-raw ${shellQuoted(body)}`)
  const command = lines.join(' \\\n  ')
  return body !== '' && isBinary ? `printf %s ${shellQuoted(body)} | base64 -d | ${command}` : command
}

/** JSON with indentation; any other text as it is. */
export function prettyBody(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

/** How a Node.js server verifies a forwarded request. */
export const verifyNode = `import { createHmac, timingSafeEqual } from 'node:crypto'

/** @param body a Buffer @param headers with lower-case names */
function isFromWebhook(secret, headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(body).digest('base64')
  return String(signature)
    .split(' ')
    .some((given) => {
      const [a, b] = [Buffer.from(given), Buffer.from(\`v1,\${expected}\`)]
      return a.length === b.length && timingSafeEqual(a, b)
    })
}`

/** The same in Python. */
export const verifyPython = `import base64, hashlib, hmac, time

def is_from_webhook(secret, headers, body):
    """body: bytes; headers: with lower-case names"""
    message_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(given, expected) for given in headers["webhook-signature"].split(" "))`
