import { toolNameOf, type Operation } from '../operation.js'
import { accessText } from './catalogue.js'
import { byArea } from './areas.js'

const head = (base: string) => `# svc Platform API

> A self-hosted JSON-over-HTTP API for one hosting and utility platform: public utilities, account, DNS, files and related tools.

All but the catalogue and the public utilities take a Bearer token. \`${base}/v1/ai\` is the shortest complete description to work from.

## Start here

- [Brief for a prompt](${base}/v1/ai): every endpoint with its parameters as compact text; with \`?format=json\` as tool definitions
- [OpenAPI contract](${base}/v1/openapi.json): the complete OpenAPI 3.1 description, errors and examples included
- [Reference](${base}/reference): the same for people
- [Endpoint catalogue](${base}/v1?format=json): method, path, access and summary of every endpoint as JSON
`

/** /llms.txt (https://llmstxt.org): a title, a summary in a blockquote, then sections that are lists of links. */
export function llmsTxt(operations: readonly Operation[], options: { baseUrl: string }): string {
  const base = options.baseUrl.replace(/\/$/, '')
  const sections = byArea(operations).map(
    ({ title, operations: members }) => `\n## ${title}\n\n${members.map((op) => `${link(op, base)}\n`).join('')}`,
  )
  return head(base) + sections.join('')
}

/** Paths with placeholders are no URLs, and one path has several methods: the link goes to the reference's entry. */
const link = (op: Operation, base: string) =>
  `- [${op.method} ${op.path}](${base}/reference#${toolNameOf(op)}): ${op.summary} (${accessText(op)})`
