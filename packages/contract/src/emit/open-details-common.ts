/** The choices that apply to all operations, so that the contract has no marks for them. */
export const commonRules = (errorCodes: readonly string[]) => `# Open details

Use this page to see which details are specific to svc. The platform's specification leaves some details open: "not
shown" means that it does not define them. svc has to choose. This page lists every choice; everything else follows
the specification. In the OpenAPI document, the same places have the annotation \`x-open-detail\`. Both are generated from
the contract.

A choice applies to the named place and everything inside it. \`data.zones[].zone\` is the field \`zone\` of each entry of
\`zones\` in \`data\`. Section numbers refer to the platform's specification.

## Common to all

- **Success** is status 200, except for 206 (\`Range\`) and 304 (\`If-None-Match\`).
- **Ids** are positive integers. In a path, any other text answers 404; in a body, a value of another type answers 400.
- **Times** are RFC 3339 in UTC with milliseconds, in fields that end in \`_at\`. Sizes are in bytes, durations in seconds.
- **Error codes** are those of the platform's table, and two additions:
${errorCodes.map((line) => `  - ${line}\n`).join('')}- **Invalid input** answers 400 \`bad_request\`, also bodies that are too large, other media types, duplicates and
  exhausted quotas. The message names the field, the problem and the accepted values. If it is about one field of the
  input, \`field\` and \`problem\` have its parts, so that a form can show the problem at the field.
- **Not found, or not yours**: a nonexistent id answers 404, a resource of another account 403. A zone always answers
  403 \`forbidden_zone\`, with the same message whether it exists or not.
- **Bodies** are strict: an unknown field answers 400 with its name, no value is converted to another type, and \`null\`
  does not mean absent.
- **Queries** are strict too: an unknown parameter answers 400 with the known ones. Parameters are text and are converted
  to the declared type; integers have decimal digits only.
- **Lists without an upper limit** have pages: \`limit\` (1 to 1000, default 1000) is the page size, \`before\` takes the
  \`next\` of the previous page. The answer has \`next\`, null on the last page, and \`total\`. All other lists are
  complete; a setting of the server limits the records of a zone (default 10,000).
- **Documents** (\`/v1/openapi.json\`, the text of \`/v1/ai\`, \`/llms.txt\`) and downloads have no envelope. Their errors
  have it.
- **The reference** is a page at \`/reference\`, and Markdown for each area at \`/reference/<area>.md\`
  (\`/reference/dns.md\`). \`/llms.txt\` links to the Markdown.
- **\`X-Request-Id\`** is on every response and equals \`request_id\`.
- **\`GET /v1\`** answers the catalogue with \`format=json\`, with \`Accept: application/json\`, and with an \`Accept\` without
  \`text/html\`. With \`text/html\` it redirects (302) to the reference page.
- **Conditions**: \`If-Match\` and \`If-Unmodified-Since\` that fail answer 400 with a message, because the table of codes has
  no 412, and a \`Range\` that begins at or after the end answers 400, because it has no 416: such a download is already
  complete. The content host and sites answer 412 and 416. An operation whose answer has no \`ETag\` refuses both
  conditions with 400.
- **\`HEAD\`** works on every \`GET\` endpoint. \`OPTIONS\` answers preflight requests. CORS is open on /v1, which ignores
  cookies.
- **405** lists the supported methods in \`Allow\`. A nonexistent path answers 404 without checking the token.
- **The console's door** has one more code, \`password_required\` (403): in a browser session whose password was entered more than ten
  minutes ago, it answers the list of credentials, their update, the replacement of a webhook's secret, and a new, wider or rotated token with a scope that shows secrets (\`*\`, \`cred:read\`, \`cred:write\`, \`deploy:read\`, \`deploy:write\`). Tokens never get it.
- **The account's own end**: the specification has no export of an account. The console names its pages with copies of single things, and
  the operator's export, before it deletes the account.
- **A suspended account** gets 401 at both doors, as for an unknown token. What it has is served, unless the operator stops that too.
- **Checks** run in this order: path, method, token (401), scope (403), input (400), ownership (403), existence (404).
- **Rules of tokens** narrow scopes, never widen them (docs/tokens.md). Outside of them: 403 \`forbidden_zone\` for zones, 403
  \`forbidden\` for the rest, with the same body whether the thing exists or not; an id that does not exist answers 404. \`rules\` is null
  for a token without rules, in requests and in answers, because an empty list could mean nothing or everything: requests with
  one answer 400. A record that a request would create counts as added even if it exists, so that a refusal does not tell
  whether it does; a preview needs read rules for what the import needs write rules for.
- **\`required_scopes\`** lists every accepted scope except \`*\`: for \`GET /v1/dns/zones\` it is
  \`["dns:read","dns:write"]\`.
`
