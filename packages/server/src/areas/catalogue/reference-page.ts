import { Document, Redirect } from '../../http/answer.js'
import type { PublicRoute } from '../../http/area.js'
import { referenceScript } from './reference-script.js'

const scriptPath = '/reference/scalar.js'
const startPath = '/reference/start.js'

/**
 * The reference: a page without scripts, and one that sends requests. That one is Scalar, loaded from this server only, so that it works
 * without the internet. It holds a phone for seconds, so it is not the first page.
 * @param pagePath the path of the page without scripts
 * @param overview that page
 * @param markdown the same reference as Markdown, by path
 * @throws Error if the installed script of Scalar is not the expected one
 */
export async function referenceRoutes(
  pagePath: string,
  overview: () => Promise<Document>,
  markdown: ReadonlyMap<string, Document>,
): Promise<readonly PublicRoute[]> {
  const page = pageOf([...markdown.keys()])
  return [
    { path: pagePath, answer: overview },
    { path: `${pagePath}/try`, answer: () => page },
    // Relative, because a reverse proxy may serve this server below a path.
    { path: `${pagePath}/`, answer: () => new Redirect('../reference') },
    ...Array.from(markdown, ([path, document]) => ({ path, answer: () => document })),
    { path: startPath, answer: () => start },
    await referenceScript(scriptPath),
  ]
}

/** @param markdown paths of the same reference as Markdown: crawlers do not run scripts */
const pageOf = (markdown: readonly string[]) =>
  new Document(
    `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="description" content="Send requests to the svc Platform API from the browser: DNS, files, sites, packages and credentials.">
    <title>svc API requests</title>
    <link rel="icon" href="data:,">
    <style>
      /* Scalar's link beside a heading can be a few pixels too wide for a phone. */
      #app { overflow-x: clip }
      :root { --scalar-custom-header-height: 44px }
      body > header {
        position: sticky; top: 0; z-index: 1000; box-sizing: border-box; height: 44px; padding: 0 16px;
        display: flex; align-items: center; justify-content: space-between; font: 600 16px system-ui, sans-serif;
        color: var(--scalar-color-1); background: var(--scalar-background-1); border-bottom: 1px solid var(--scalar-border-color);
      }
      body > header a { font-size: 14px; font-weight: 500; color: var(--scalar-color-accent) }
    </style>
    <link rel="alternate" type="text/plain" title="llms.txt" href="/llms.txt">
${markdown.map((path) => `    <link rel="alternate" type="text/markdown" href="${path}">\n`).join('')}  </head>
  <body>
    <noscript>This page needs JavaScript. The same as text: <a href="/v1/ai">/v1/ai</a>, and in full:
      ${markdown.map((path) => `<a href="${path}">${path}</a>`).join(', ')}.</noscript>
    <header><span>svc</span><a href="../reference">Reference</a><a href="../console">Console</a></header>
    <div id="app"></div>
    <script src="${scriptPath}"></script>
    <script src="${startPath}"></script>
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

// Features that call or link to other servers are off. Requests from the page go to the server that it came from.
const start = new Document(
  `Scalar.createApiReference('#app', { servers: [{ url: location.origin }], ...${JSON.stringify({
    url: '/v1/openapi.json',
    authentication: { preferredSecurityScheme: 'bearer' },
    defaultOpenAllTags: false,
    hideClientButton: true,
    withDefaultFonts: false,
    telemetry: false,
    proxyUrl: '',
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    documentDownloadType: 'direct',
    // The accent of the console.
    customCss: '.light-mode { --scalar-color-accent: #345dc6 } .dark-mode { --scalar-color-accent: #8aa6ec }',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  })} })
`,
  'text/javascript; charset=utf-8',
)
