/** What holds everywhere and therefore has no mark of its own in the contract. */
export const commonRules = (errorCodes: readonly string[]) => `# Open details

The platform's specification leaves some details open: it says that something exists, not what it looks like. A running
system has to choose. This page lists every such choice, so that an integrator can tell the platform's word, which can
be relied on anywhere, from the word of this implementation. In the OpenAPI description the same places carry
\`x-open-detail\` with the reason; this page is generated from them.

A mark covers everything inside the place it names. \`data.zones[].zone\` reads: in \`data\`, each of \`zones\`, its \`zone\`.
Section numbers are those of the platform's specification.

## Common to all

- **Success** is always status 200, but for what HTTP itself asks for: 206 to a \`Range\`, 304 to an \`If-None-Match\`.
- **Ids** are positive integers. One in a path that is anything else names nothing and answers 404; in a body, a value of
  another type answers 400.
- **Times** are RFC 3339 in UTC with milliseconds, under keys that end in \`_at\`. Sizes are in bytes, durations in seconds.
- **Error codes** come from the platform's table, and these additions, which it makes necessary:
${errorCodes.map((line) => `  - ${line}\n`).join('')}- **Inputs that cannot be accepted**, among them bodies too large, other media types, duplicates and exhausted quotas,
  answer 400 \`bad_request\`. The message says what is wrong, where, and what would be accepted.
- **Not found, or not yours**: what exists nowhere answers 404, what belongs to another account 403. A zone always answers
  403 \`forbidden_zone\`, in the same words whether it exists or not.
- **Bodies** are taken literally: a field the endpoint does not know answers 400 naming it, nothing is converted from one
  type to another, and \`null\` does not mean absent. Query strings are text and are converted to the declared type.
- **Lists that grow without bound** come in pages: \`limit\` (1 to 1000, default 1000) says how many, \`before\` takes the
  \`next\` of the page before. The answer has \`next\`, null on the last page, and \`total\`. All other lists come
  whole; how many records a zone may have is bounded by a setting of the server, 10,000 unless set otherwise.
- **Documents**: \`/v1/openapi.json\`, the text of \`/v1/ai\` and \`/llms.txt\` are served as they are, and so are the bytes of a
  download: none has the envelope. Their errors have it.
- **The reference** is a page at \`/reference\`, and Markdown for each area at \`/reference/<area>.md\` (\`/reference/dns.md\`),
  to which \`/llms.txt\` links. Both are outside of /v1 and this implementation's choice.
- **\`X-Request-Id\`** is on every response and repeats \`request_id\`.
- **\`GET /v1\`** answers with the catalogue for \`format=json\`, for an \`Accept\` that names \`application/json\`, and for one that
  does not name \`text/html\`. With \`text/html\` it answers 302 to the reference page.
- **\`HEAD\`** works wherever \`GET\` does. \`OPTIONS\` answers preflight requests. CORS is open on /v1: cookies count for nothing
  there.
- **405** names the methods that would do in \`Allow\`. A path that does not exist answers 404 without asking for a token.
- **Checks** run in one order: path, method, token (401), scope (403), input (400), ownership (403), existence (404).
- **\`required_scopes\`** lists each single scope that would have been accepted, \`*\` apart: for \`GET /v1/dns/zones\` it is
  \`["dns:read","dns:write"]\`.
`
