import type { Operation } from '../operation.js'
import { accessText } from './catalogue.js'
import { byArea, type AreaGroup } from './areas.js'
import { referenceAnchor, referencePath } from './reference.js'

const head = (base: string) => `# svc Platform API

> A self-hosted JSON-over-HTTP API for one hosting and utility platform: public utilities, account, DNS, files and related tools.

All but the catalogue and the public utilities take a Bearer token. \`${base}/v1/ai\` is the shortest complete description to work from.

## Start here

- [Brief for a prompt](${base}/v1/ai): every endpoint with its parameters as compact text; with \`?format=json\` as tool definitions
- [OpenAPI contract](${base}/v1/openapi.json): the complete OpenAPI 3.1 description, errors and examples included
- [Reference](${base}/reference): the same for people, a page that needs JavaScript
- [Endpoint catalogue](${base}/v1?format=json): method, path, access and summary of every endpoint as JSON
`

/** /llms.txt (https://llmstxt.org): a title, a summary in a blockquote, then sections that are lists of links. */
export function llmsTxt(operations: readonly Operation[], options: { baseUrl: string }): string {
  const base = options.baseUrl.replace(/\/$/, '')
  return (
    head(base) +
    byArea(operations)
      .map((group) => section(group, base))
      .join('')
  )
}

function section({ area, title, operations }: AreaGroup, base: string): string {
  const file = `${base}${referencePath(area)}`
  const links = [
    `- [${title} in full](${file}): fields, errors and examples`,
    ...operations.map((op) => link(op, file)),
  ]
  return `\n## ${title}\n\n${links.join('\n')}\n`
}

/** Paths with placeholders are not URLs, and one path has several methods: the link leads to the reference's entry. */
const link = (op: Operation, file: string) =>
  `- [${op.method} ${op.path}](${file}#${referenceAnchor(op)}): ${op.summary} (${accessText(op)})`
