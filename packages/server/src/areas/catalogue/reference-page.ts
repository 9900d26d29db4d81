import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import Negotiator from 'negotiator'
import { lazy } from '../../lazy.js'
import { Document } from '../../http/answer.js'
import { sendDocument } from '../../http/send.js'

/** The reference page: Scalar, from this server alone. It must work with the network shut. */

export const referencePaths = ['/reference', '/reference/scalar.js', '/reference/start.js'] as const

/** @param markdown the paths of the same reference as Markdown: crawlers do not run scripts */
const pageOf = (markdown: readonly string[]) =>
  new Document(
    `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>svc API reference</title>
    <link rel="icon" href="data:,">
    <link rel="alternate" type="text/plain" title="llms.txt" href="/llms.txt">
${markdown.map((path) => `    <link rel="alternate" type="text/markdown" href="${path}">\n`).join('')}  </head>
  <body>
    <noscript>This page needs JavaScript. The same as text: <a href="/v1/ai">/v1/ai</a>, and in full:
      ${markdown.map((path) => `<a href="${path}">${path}</a>`).join(', ')}.</noscript>
    <div id="app"></div>
    <script src="/reference/scalar.js"></script>
    <script src="/reference/start.js"></script>
  </body>
</html>
`,
    'text/html; charset=utf-8',
    {
      'content-security-policy': [
        "default-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
      'referrer-policy': 'no-referrer',
    },
  )

// All that would call somebody else, or lead there, off. What is tried out is asked of the server the page came from.
const start = new Document(
  `Scalar.createApiReference('#app', { servers: [{ url: location.origin }], ...${JSON.stringify({
    url: '/v1/openapi.json',
    authentication: { preferredSecurityScheme: 'bearer' },
    defaultOpenAllTags: true,
    hideClientButton: true,
    withDefaultFonts: false,
    telemetry: false,
    proxyUrl: '',
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    documentDownloadType: 'direct',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  })} })
`,
  'text/javascript; charset=utf-8',
)

/**
 * Mounts the page and its two scripts. The large one is read when first asked for, then kept: compressed for browsers, and as
 * it is only once a client has asked for that.
 * @param markdown the same reference as Markdown, by path
 */
export function mountReferencePage(app: FastifyInstance, markdown: ReadonlyMap<string, Document>): void {
  const page = pageOf([...markdown.keys()])
  const [pagePath, scalarPath, startPath] = referencePaths
  const compressed = lazy(async () => scalarDocument(await promisify(gzip)(await scalarScript()), 'gzip'))
  const plain = lazy(async () => scalarDocument(await scalarScript()))
  app.get(pagePath, (request, reply) => sendDocument(request, reply, page))
  for (const [path, document] of markdown) app.get(path, (request, reply) => sendDocument(request, reply, document))
  app.get(startPath, (request, reply) => sendDocument(request, reply, start))
  app.get(scalarPath, async (request, reply) =>
    sendDocument(request, reply, await (takesGzip(request.raw) ? compressed() : plain())),
  )
}

/** RFC 9110, 12.5.3. A client without Accept-Encoding, such as curl, gets the script uncompressed. */
const takesGzip = (request: IncomingMessage): boolean =>
  new Negotiator(request).encodings(['gzip', 'identity'])[0] === 'gzip'

function scalarDocument(content: string | Buffer, encoding?: string): Document {
  const headers = { vary: 'Accept-Encoding', ...(encoding !== undefined && { 'content-encoding': encoding }) }
  return new Document(content, 'text/javascript; charset=utf-8', headers)
}

/** How the script finds out whether it may compile code. The page's policy says no, and browsers would report the try. */
const probe = 'return new Function(""),!0'

async function scalarScript(): Promise<string> {
  const path = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference')
  const script = await readFile(new URL('../../http/js/standalone.js', `file://${path}`), 'utf8')
  return script.replace(probe, 'return!1')
}
