import { errorStatus } from '../errors.js'
import { areaOf, errorsOf, toolNameOf, type Operation } from '../operation.js'
import type { AreaGroup } from './areas.js'
import { curl } from './curl.js'
import { fieldList } from './field-list.js'
import type { Json } from './json-schema.js'
import { byStatus, errorCondition, exampleRequestId, requiredScopesText } from './openapi/errors.js'

/** The complete reference of one area as Markdown, for programs and for readers without JavaScript. */

/** The path of an area's reference. */
export const referencePath = (area: string): string => `/reference/${area}.md`

/** The anchor of an operation in its area's reference, in GitHub's form, from its heading `POST /v1/dns/zones`. */
export const referenceAnchor = (op: Operation): string =>
  heading(op)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

/** The anchor of an operation in the reference page, as Scalar derives it from the OpenAPI document. */
export const referencePageAnchor = (op: Operation): string => `tag/${areaOf(op)}/${op.method}${op.path}`

const heading = ({ method, path }: Operation) => `${method} ${path}`

/**
 * The reference of an area: input, answer, errors and example command of every operation.
 * @param baseUrl base URL of the API; a trailing slash is ignored
 */
export function areaReference({ title, description, operations }: AreaGroup, options: { baseUrl: string }): string {
  const baseUrl = options.baseUrl.replace(/\/$/, '')
  return [head(title, description, baseUrl), ...operations.map((op) => section(op, baseUrl))].join('\n')
}

const head = (title: string, description: string, baseUrl: string) => `# ${title}

> ${description}

One area of the svc Platform API at ${baseUrl}; [llms.txt](${baseUrl}/llms.txt) lists the others, and [openapi.json](${baseUrl}/v1/openapi.json) has all of them as OpenAPI 3.1.

A successful answer has status 200 and \`{"success":true,"data":{…},"request_id":"req_…"}\`; an error has \`{"success":false,"error":"<code>","message":"…","request_id":"req_…"}\`. Bodies are JSON; unknown fields and query parameters answer 400. The commands below read the token from \`SVC_TOKEN\`.
`

function section(op: Operation, baseUrl: string): string {
  const blocks = [
    `## ${heading(op)}`,
    [`${op.summary}.`, op.description].filter(Boolean).join(' '),
    [`- Name: \`${toolNameOf(op)}\``, `- Access: ${requiredScopesText(op)}`, ...openItem(op)].join('\n'),
    ...fieldList('Path', op.params),
    ...fieldList('Query', op.query),
    ...fieldList('Body', op.body),
    ...otherBodies(op),
    ...answer(op),
    `Errors:\n\n${byStatus(errorsOf(op))
      .flatMap(([, codes]) => codes.map(errorItem))
      .join('\n')}`,
    `Example:\n\n\`\`\`sh\n${curl(op, baseUrl)}\n\`\`\``,
    ...exampleAnswer(op),
  ]
  return `${blocks.join('\n\n')}\n`
}

const openItem = ({ open }: Operation) => (open === undefined ? [] : [`- Choice of this implementation: ${open}`])

const errorItem = (code: keyof typeof errorStatus) =>
  `- ${String(errorStatus[code])} \`${code}\`: ${errorCondition(code)}`

const otherBodies = ({ otherBodies: types = {} }: Operation) =>
  Object.entries(types).map(([type, why]) => `\`${type}\` is accepted as well. ${why}`)

function answer(op: Operation): string[] {
  const raw = op.produces === undefined ? [] : [`Answers ${op.produces.join(' or ')}, without the envelope.`]
  return [...raw, ...fieldList('`data` of the answer', op.data, { isAnswer: true })]
}

function exampleAnswer({ example: { data } }: Operation): string[] {
  if (data === undefined) return []
  const envelope = { success: true, data: data as Json, request_id: exampleRequestId }
  return [`Answer:\n\n\`\`\`json\n${JSON.stringify(envelope, null, 2)}\n\`\`\``]
}
