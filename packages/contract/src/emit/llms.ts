import type { Operation } from '../operation.js'
import { accessText } from './catalogue.js'
import { byArea, type AreaGroup } from './areas.js'
import { referenceAnchor, referencePath } from './reference.js'

const head = (base: string) => `# svc Platform API

> A self-hosted JSON-over-HTTP API for one hosting and utility platform: public utilities, account, DNS, files and related tools.

All operations except the catalogue and the public utilities need a Bearer token. \`${base}/v1/ai\` is the shortest complete description.

## Start here

- [Brief for a prompt](${base}/v1/ai): every endpoint with its parameters as compact text; with \`?format=json\` as tool definitions, with \`&for=openai|openai-chat|anthropic|mcp\` in the format of a provider
- [OpenAPI contract](${base}/v1/openapi.json): the complete OpenAPI 3.1 description, with errors and examples
- [Reference](${base}/reference): the same as a web page; /reference/try sends requests and needs JavaScript
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
    `- [${title}, complete](${file}): fields, errors and examples`,
    ...operations.map((op) => link(op, file)),
  ]
  return `\n## ${title}\n\n${links.join('\n')}\n`
}

/** Links to the reference: a path with placeholders is not a URL, and one path has several methods. */
const link = (op: Operation, file: string) =>
  `- [${op.method} ${op.path}](${file}#${referenceAnchor(op)}): ${op.summary} (${accessText(op)})`
