import { areaReference, byArea, referencePageAnchor, referencePath, type Operation } from '@svc/contract'
import { Marked } from 'marked'
import { Document } from '../../http/answer.js'

/** The reference as one page without scripts: every operation has an anchor, to which the console links. */

const styles = `
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif }
* { box-sizing: border-box }
body { margin: 0; color: light-dark(#1f2328, #e6e8eb); background: light-dark(#fff, #16181b); overflow-wrap: anywhere }
a { color: light-dark(#2f54b5, #9db5f0) }
header { display: flex; flex-wrap: wrap; gap: 4px 20px; padding: 10px 16px; border-bottom: 1px solid light-dark(#d9dce1, #34383d) }
header strong { margin-right: auto }
main, nav { padding: 16px }
nav ul { margin: 4px 0 12px; padding-left: 20px }
section { content-visibility: auto; contain-intrinsic-size: auto 900px; border-top: 1px solid light-dark(#d9dce1, #34383d) }
h1, h2, h3 { line-height: 1.25 }
code, pre { font: 14px/1.5 ui-monospace, monospace }
code { background: light-dark(#f1f3f5, #24272b); border-radius: 4px; padding: 1px 4px }
pre { background: light-dark(#f1f3f5, #24272b); border-radius: 6px; padding: 10px 12px; white-space: pre-wrap }
pre code { padding: 0 }
blockquote { margin: 0; color: light-dark(#4a5058, #b4bac2) }
@media (min-width: 1000px) {
  .columns { display: grid; grid-template-columns: 320px minmax(0, 860px) }
}
`

/**
 * The page of all operations.
 * @param operations of this server, in the order of the catalogue
 * @param baseUrl the server's public address
 */
export function referenceOverview(operations: readonly Operation[], baseUrl: string): Document {
  const groups = byArea(operations)
  const links = groups.map(
    ({ title, operations: own }) =>
      `<details><summary>${title}</summary><ul>${own.map((op) => `<li>${link(op)}</li>`).join('')}</ul></details>`,
  )
  const alternates = groups.map(
    ({ area }) => `    <link rel="alternate" type="text/markdown" href="${referencePath(area)}">`,
  )
  const sections = groups.map(
    (group) => `<section>${html(areaReference(group, { baseUrl }), group.operations)}</section>`,
  )
  return new Document(
    pageOf(alternates.join('\n'), links.join('\n'), sections.join('\n')),
    'text/html; charset=utf-8',
    {
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
    },
  )
}

const link = (op: Operation) => `<a href="#${referencePageAnchor(op)}">${op.summary}</a>`

/** Our own Markdown, with headings one level lower: the page has a title. The heading of an operation has its anchor. */
function html(markdown: string, operations: readonly Operation[]): string {
  const anchors = new Map(operations.map((op) => [`${op.method} ${op.path}`, referencePageAnchor(op)]))
  const renderer = {
    heading({ text, depth }: { text: string; depth: number }): string {
      const anchor = anchors.get(text)
      return `<h${depth + 1}${anchor === undefined ? '' : ` id="${anchor}"`}>${text}</h${depth + 1}>\n`
    },
  }
  return new Marked({ renderer, async: false }).parse(markdown, { async: false })
}

const pageOf = (alternates: string, links: string, sections: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="description" content="Every operation of the svc Platform API, with its fields, errors and an example.">
    <title>svc API reference</title>
    <link rel="icon" href="data:,">
    <link rel="alternate" type="text/plain" title="llms.txt" href="llms.txt">
${alternates}
    <style>${styles}</style>
  </head>
  <body>
    <header>
      <strong>svc</strong>
      <a href="console">Console</a>
      <a href="reference/try">Try requests</a>
      <a href="v1/openapi.json">OpenAPI</a>
      <a href="llms.txt">llms.txt</a>
    </header>
    <div class="columns">
      <nav aria-label="Operations">
${links}
      </nav>
      <main>
        <h1>svc API reference</h1>
${sections}
      </main>
    </div>
  </body>
</html>
`
