import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { Document } from './answer.js'
import { sendDocument } from './send.js'

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
 * Mounts the page and its two scripts. The large one is read and compressed when first asked for, then kept.
 * @param markdown the same reference as Markdown, by path
 */
export function mountReferencePage(app: FastifyInstance, markdown: ReadonlyMap<string, Document>): void {
  const page = pageOf([...markdown.keys()])
  let scalar: Promise<Document> | undefined
  const [pagePath, scalarPath, startPath] = referencePaths
  app.get(pagePath, (request, reply) => sendDocument(request, reply, page))
  for (const [path, document] of markdown) app.get(path, (request, reply) => sendDocument(request, reply, document))
  app.get(startPath, (request, reply) => sendDocument(request, reply, start))
  app.get(scalarPath, async (request, reply) => {
    scalar ??= loadScalar()
    return sendDocument(request, reply, await scalar)
  })
}

/** How the script finds out whether it may compile code. The page's policy says no, and browsers would report the try. */
const probe = 'return new Function(""),!0'

/** Every browser of this decade takes gzip: the three megabytes are kept in that form only. */
async function loadScalar(): Promise<Document> {
  const path = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference')
  const script = await readFile(new URL('./js/standalone.js', `file://${path}`), 'utf8')
  const quiet = script.replace(probe, 'return!1')
  return new Document(await promisify(gzip)(quiet), 'text/javascript; charset=utf-8', { 'content-encoding': 'gzip' })
}
