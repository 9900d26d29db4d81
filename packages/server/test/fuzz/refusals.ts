import { deploymentRefusals } from './deployment-refusals.js'
import { dnsRefusals } from './dns-refusals.js'
import type { Refusal } from './refusal.js'
import { tlsRefusals } from './tls-refusals.js'
import { webhookRefusals } from './webhook-refusals.js'

/** Input that the schemas of the contract allow and the server refuses. */

/** @param body a valid body without a name */
const fileName = (body: object): Refusal => ({
  message: /^name must (?!not be empty|not contain (slashes|control))/,
  why: 'JSON Schema counts characters, file systems count bytes; and some names are devices or folders.',
  example: { body: { ...body, name: 'con.txt' } },
})

/** @param body a valid body without content */
const content = (body: object): Refusal => ({
  message: /^content .*base64/,
  why: 'Many JSON Schema validators do not check `contentEncoding`.',
  example: { body: { ...body, content: '?' } },
})

/** @param body a valid body without limits */
const limits = (body: object): readonly Refusal[] => [
  {
    message: /^networks must (list addresses|have at most)/,
    why: 'The forms of networks are beyond a pattern.',
    example: { body: { ...body, networks: ['x'] } },
  },
  {
    message: /^expires_at must be (a time|in the future)/,
    why: 'A time in the past is refused, and so is another text than a time.',
    example: { body: { ...body, expires_at: '2020-01-01T00:00:00Z' } },
  },
  {
    message:
      /^(rules(\[\d+\]\.(name|hosts|types)(\[\d+\])?)? (must|is only for rules of zones)|The host and the zone together)/,
    why: 'The names of each kind have forms of their own, only zones have hosts and types, and all hosts are counted together.',
    example: { body: { ...body, rules: [{ kind: 'site', name: 'Docs', access: 'read' }] } },
  },
]

/** Beyond the small ids that the generator prefers. */
export const plainFile = 12
export const finishedUpload = 11
export const openUpload = 12

/** A credential of this platform, whose label is its id, and so is the one after it. */
export const namedCredential = 11
export const namedPlatform = 'taken'

const notShared: Refusal = {
  message: /^id names a file that is not shared/,
  why: 'Whether a file is shared is not in the request.',
  example: { body: { id: plainFile } },
}

/** The name of an API key that is created before the tests. */
export const takenName = 'taken'

/** Created before the tests. */
export const publishedVersion = '0.0.1'

export const published = (version: string, ...artifacts: readonly object[]) => ({
  body: { slug: 'fuzz', version, artifacts },
})

/** @param body a valid body without a host */
const siteHost = (body: object): Refusal => ({
  message: /^host (must be a full host name|is the zone )/,
  why: 'The Public Suffix List decides which hosts can be in a zone, IDNA which labels are valid.',
  example: { body: { ...body, host: 'com' } },
})

/** By operation id. */
export const refusals: Readonly<Record<string, readonly Refusal[]>> = {
  'session.reset': [
    {
      message: /^The link does not work any more/,
      why: 'Only an e-mail has a token.',
      example: { body: { token: 'x', password: 'correct horse battery staple' } },
    },
  ],
  'public.fx': [
    {
      message: /^(base|symbols) must be .*ISO 4217.*[ "][A-Za-z]{3}"( is not an ISO 4217 code)?\.$/,
      why: 'The currencies of ISO 4217 change, so the contract has only the form of the codes.',
      example: { query: { base: 'ABC' } },
    },
  ],
  'public.hash': [
    {
      message: /^value must have at most 8192 bytes/,
      why: 'JSON Schema counts characters; section 8 of the specification counts bytes.',
      example: { query: { value: 'ü'.repeat(4097) } },
    },
    {
      message: /^The query must have at most 25600 bytes/,
      why: 'The limit of the encoded query is the same for all operations.',
      example: { query: { value: 'ü'.repeat(8000) } },
    },
  ],
  'whois.lookup': [
    {
      message: /^domain must be (an|the) apex domain/,
      why: 'The Public Suffix List decides which names are an apex, IDNA which labels are valid.',
      example: { query: { domain: 'www.example.com' } },
    },
  ],
  'domains.whoisSync': [
    {
      message: /^domain must (?!.*: it (has one label|is a URL)\.$)/,
      why: 'The Public Suffix List decides which names are an apex, IDNA which labels are valid.',
      example: { body: { domain: 'www.example.com' } },
    },
  ],
  'domains.add': [
    {
      message: /^domains\[\d+\] must be (?:an|the) apex domain (?!.*: it (has one label|is a URL)\.)/,
      why: 'The Public Suffix List decides which names are an apex, IDNA which labels are valid.',
      example: { body: { domains: ['www.example.com'] } },
    },
  ],
  'cred.update': [
    {
      message: /^Another credential of the account, with the id \d+, has this platform and label/,
      why: 'The names of other credentials are not in the request.',
      example: { body: { id: namedCredential, platform: namedPlatform, label: String(namedCredential + 1) } },
    },
  ],
  ...dnsRefusals,
  ...tlsRefusals,
  ...webhookRefusals,
  'files.upload': [fileName({ content: '' }), content({ name: 'a' })],
  'files.update': [fileName({ id: 1 })],
  'search.find': [
    {
      message: /^q must have 1 to 100 characters/,
      why: 'The text is counted without the spaces around it.',
      example: { query: { q: ' ' } },
    },
    {
      message: /^q must not contain control characters/,
      why: 'The pattern of the contract has no characters beyond the Basic Multilingual Plane.',
      example: { query: { q: '\u{e0001}' } },
    },
  ],
  'files.rename': [fileName({ id: 1 })],
  'files.uploadChunk': [
    content({ index: 0 }),
    {
      message: /^upload_id names a finished upload/,
      why: 'Whether an upload is finished is not in the request.',
      example: { body: { upload_id: finishedUpload, index: 0, content: '' } },
    },
    {
      message: /^(size (is|needs|results in) |content results in .* declared with )/,
      why: 'The room of the account and the size that an earlier part has declared are not in the request.',
      example: { body: { index: 0, content: '', size: Number.MAX_SAFE_INTEGER } },
    },
  ],
  'files.uploadFinalize': [
    fileName({ upload_id: openUpload, parts: 1 }),
    {
      message: /^(parts is|The parts have|sha256 is) /,
      why: 'The parts of the upload are not in the request.',
      example: { body: { upload_id: openUpload, name: 'a', parts: 9 } },
    },
  ],
  'files.uploadDiscard': [
    {
      message: /^upload_id names a finished upload/,
      why: 'Whether an upload is finished is not in the request.',
      example: { body: { upload_id: finishedUpload } },
    },
  ],
  'packages.publish': [
    {
      message: /^artifacts\[\d+\]\.content .*base64/,
      why: 'Many JSON Schema validators do not check `contentEncoding`.',
      example: published('1.0.0', { name: 'a', content: '?' }),
    },
    {
      message: /^artifacts has .*(twice|upper and lower case)/,
      why: 'JSON Schema compares whole items of a list, not their names.',
      example: published('1.0.0', { name: 'a', content: '' }, { name: 'A', content: '' }),
    },
    {
      message: /^version has a number that is too large/,
      why: 'A pattern has no numbers.',
      example: published('1.0.9007199254740992', { name: 'a', content: '' }),
    },
    {
      message: /^version .* was published already/,
      why: 'Whether a version is published is not in the request.',
      example: published(publishedVersion, { name: 'a', content: '' }),
    },
  ],
  'sites.deploy': [
    {
      message: /^archive .*base64/,
      why: 'Many JSON Schema validators do not check `contentEncoding`.',
      example: { body: { name: 'a', archive: '?' } },
    },
    {
      message: /^archive(: entry| (is not a zip|has ))/,
      why: 'A schema cannot describe what is in a zip.',
      example: { body: { name: 'a', archive: 'aGVsbG8=' } },
    },
    {
      message: /^content is reserved/,
      why: 'The reserved names depend on the hosts of the server.',
      example: { body: { name: 'content', archive: '' } },
    },
  ],
  'sites.domainAdd': [siteHost({ name: 'a' })],
  'sites.domainRemove': [siteHost({})],
  'cdn.config': [notShared],
  'cdn.purge': [notShared],
  ...deploymentRefusals,
  'keys.create': [
    {
      message: /^name ".*" is taken/,
      why: 'The names of other keys are not in the request.',
      example: { body: { name: takenName, scopes: ['dns:read'] } },
    },
    ...limits({ name: 'limited' }),
    {
      message: /^update_key needs (the scope dns:write|one rule of a zone)/,
      why: 'An update key changes one host, which only the rules of the token name.',
      example: { body: { name: 'router', scopes: ['dns:write'], update_key: true } },
    },
  ],
  'keys.createTsig': [
    {
      message: /^name ".*" is taken/,
      why: 'The names of other keys are not in the request.',
      example: { body: { name: takenName, scopes: ['dns:read'] } },
    },
    ...limits({ name: 'limited' }),
  ],
  'keys.update': limits({ id: 1 }),
  'session.changePassword': [
    {
      message: /^(The current password is wrong|Too many sign-ins (failed|are in progress))/,
      why: 'Only the server knows the current password.',
      example: { body: { current_password: 'a wrong password', password: 'correct horse battery staple' } },
    },
  ],
  'session.enterPassword': [
    {
      message: /^(The password is wrong|Too many sign-ins (failed|are in progress))/,
      why: 'Only the server knows the password.',
      example: { body: { password: 'a wrong password' } },
    },
  ],
  'session.changeEmail': [
    {
      message: /^(The current password is wrong|Too many sign-ins (failed|are in progress))/,
      why: 'Only the server knows the current password.',
      example: { body: { current_password: 'a wrong password', email: 'ada@example.org' } },
    },
    {
      message: /^email must/,
      why: 'The rule has a clearer message than a pattern.',
      example: { body: { current_password: 'a wrong password', email: 'ada' } },
    },
  ],
  'session.deleteAccount': [
    {
      message: /^email must be the email of the account/,
      why: 'The email of the account is not in the contract.',
      example: { body: { password: 'a wrong password', email: 'other@example.org' } },
    },
  ],
}
