/**
 * Limits and rules of the contract that other packages apply too. They have an entry point without schemas
 * (`@svc/contract/limits`), because loading the schemas would cost the writer thread 200 ms and 10 MB.
 */

/** Section 2.3 of the specification. */
export const recordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SRV', 'CAA', 'PTR', 'SPF'] as const
export type RecordType = (typeof recordTypes)[number]

/** Seconds (section 8). */
export const ttlMin = 60
export const ttlMax = 2592000
export const ttlDefault = 3600

/** Preference of MX (RFC 1035, section 3.3.9) and priority of SRV (RFC 2782) are 16 bits wide. */
export const priorityMax = 65535

/** In characters: the longest spelling of the longest value, with four characters for each byte of TXT data, and quotation marks. */
export const recordValueMaxLength = 320_000

/** Values in one replacement of an RRset. */
export const rrsetValuesMax = 500

/** Changes in one batch, and values in its body: 8 for each update of all fields, and 1,000 of RRsets that it replaces. */
export const batchChangesMax = 500
export const batchValuesMax = 5_100

/** Who makes changes. `protocol` is another protocol than the API's. */
export const actorKinds = ['token', 'session', 'operator', 'protocol'] as const
export type ActorKind = (typeof actorKinds)[number]

/**
 * Characters of a zone file that the console imports: 10,000 records of 80 characters, which fit into a body. The operator's
 * command takes larger files.
 */
export const zoneFileMaxLength = 800_000

/** The display name, in Unicode code points after trimming (section 8). */
export const nicknameMaxLength = 64

/** In Unicode code points. NIST SP 800-63B, 5.1.1.2: at least eight characters, and no rules about which. */
/** What accounts get e-mails about, unless they switch them off. */
export const noticeKinds = [
  'form-submission',
  'domain-expiry',
  'certificate-failure',
  'delivery-failure',
  'new-browser',
] as const

/** Webhooks of an account that get its events, and events that wait for each of them. */
export const eventWebhooksMax = 10
export const eventsWaitingMax = 1_000

/** Secondary nameservers that an account names. */
export const dnsSecondariesMax = 8

/** Characters of the URL of a webhook. */
export const webhookUrlMaxLength = 2048

/** How long the link of a password reset works. */
export const passwordResetMinutes = 30

export const passwordMinLength = 8
export const passwordMaxLength = 1024

/** Letters and marks of the scripts that need no joiner: there, one would only make a name look like another one. */
const unjoined = String.raw`\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}`

/** ZWNJ and ZWJ after a letter of Persian, an Indic or another joining script; ZWJ also inside an emoji. */
const joiner = String.raw`(?<=(?![${unjoined}])[\p{L}\p{M}])[\u200c\u200d]|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})`

/** A variation selector after a symbol, an ideograph or a Mongolian letter, and that of a keycap, such as 1️⃣. */
const variation = String.raw`(?<=[\p{Extended_Pictographic}\p{S}\p{sc=Hani}\p{sc=Mong}\p{sc=Mymr}\p{sc=Phag}])\p{Variation_Selector}|(?<=[0-9#*])\ufe0f(?=\u20e3)`

/**
 * Control and format characters, line and paragraph separators, and all others that have no glyph (Unicode property
 * Default_Ignorable_Code_Point, such as the Hangul fillers): they can make a name look like another one, or change an operator's
 * terminal. Joiners and variation selectors are allowed where scripts and emoji need them.
 */
const invisible = new RegExp(
  String.raw`(?!${joiner}|${variation})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`,
  'u',
)

/** Checks a text of one line. @returns the problem, to follow the name of the field in a message; undefined if the text is valid */
export const visibleTextProblem = (text: string): string | undefined =>
  invisible.test(text) ? 'must not contain control characters or invisible format characters' : undefined

/** The text with U+FFFD, the replacement character, in place of characters that would make it look like another one. */
export const withoutInvisible = (text: string): string => text.replaceAll(new RegExp(invisible, 'gu'), '\ufffd')

/** The longest name of a file, in bytes of UTF-8: the limit of the file systems of Linux and of FAT. */
export const fileNameMaxBytes = 255

/** Reserved in names on Windows besides the separators ("Naming Files, Paths, and Namespaces"). For a class of a pattern. */
export const reservedInNames = '<>:"|?*'

const reserved = new RegExp(`[${reservedInNames}]`)

/** Names of devices, in any folder and with any extension (same document). Windows ignores spaces before the extension. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i

/** The rules in their order, with what follows the name of the field in the message. */
const rules: readonly (readonly [breaks: (name: string) => boolean, problem: string])[] = [
  [(name) => name === '', 'must not be empty'],
  [(name) => /[/\\]/.test(name), 'must not contain slashes or backslashes: files have no folders'],
  [
    (name) => reserved.test(name),
    'must not contain < > : " | ? or *, which Windows refuses: use letters, digits, spaces and other punctuation',
  ],
  [(name) => name === '.' || name === '..', 'must not be . or .., which name folders'],
  [(name) => /^\s|\s$/.test(name), 'must not begin or end with a space'],
  [(name) => name.endsWith('.'), 'must not end with a dot, which Windows removes'],
  [
    (name) => device.test(name),
    'must not be a Windows device name (CON, NUL, COM1), with or without an extension: _CON.txt is accepted',
  ],
]

/**
 * Checks the name of a file. All common operating systems can save a file under a valid name.
 * @returns the problem, to follow the name of the field in a message; undefined if the name is valid
 */
export function fileNameProblem(name: string): string | undefined {
  // First, because the other rules read the whole name.
  const bytes = new TextEncoder().encode(name).length
  if (bytes > fileNameMaxBytes)
    return `must have at most ${String(fileNameMaxBytes)} bytes in UTF-8, not ${String(bytes)}`
  return visibleTextProblem(name) ?? rules.find(([breaks]) => breaks(name))?.[1]
}

/** What a file is, by its media type. */
export const fileKinds = ['image', 'text', 'pdf', 'sound', 'video', 'archive', 'other'] as const
export type FileKind = (typeof fileKinds)[number]

/** How the media types of each kind begin, in lower case, without `other`. */
export const fileKindRules: readonly (readonly [FileKind, beginnings: readonly string[]])[] = [
  ['image', ['image/']],
  ['pdf', ['application/pdf']],
  ['sound', ['audio/']],
  ['video', ['video/']],
  [
    'text',
    [
      ...[
        'text/',
        'application/json',
        'application/ld+json',
        'application/xml',
        'application/yaml',
        'application/toml',
      ],
      ...['application/javascript', 'application/sql', 'application/x-sh', 'application/rtf'],
    ],
  ],
  [
    'archive',
    [
      ...[
        'application/zip',
        'application/gzip',
        'application/zstd',
        'application/x-tar',
        'application/x-7z-compressed',
      ],
      ...['application/x-bzip', 'application/x-xz', 'application/vnd.rar', 'application/x-rar'],
      'application/java-archive',
    ],
  ],
]

export function fileKindOf(mediaType: string): FileKind {
  const type = mediaType.toLowerCase()
  const rule = fileKindRules.find(([, beginnings]) => beginnings.some((beginning) => type.startsWith(beginning)))
  return rule?.[0] ?? 'other'
}

/** The form of a DNS label, so that a slug can be part of any URL. */
export const slugPattern = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'

/** The regular expression that semver.org suggests for Semantic Versioning 2.0.0, without its groups. */
export const semverPattern =
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(\\.(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\\+[0-9a-zA-Z-]+(\\.[0-9a-zA-Z-]+)*)?$'

/** Unreserved characters of a URL (RFC 3986, section 2.3) and `+`, never only dots. */
export const artifactNamePattern = '^[A-Za-z0-9_][A-Za-z0-9_.+~-]{0,199}$'

/** The most artifacts of one version, which one request publishes, and of all versions of a package. */
export const versionArtifactsMax = 100
export const packageArtifactsMax = 10_000

/** Maximum number of forwarder keys of an account (section 8). */
export const forwarderKeysMax = 5

/** How many days a history of counts by day shows: at most, and by default. Older counts are removed. */
export const historyDaysMax = 90

/** How many entries of a list one request deletes. */
export const deletedAtOnceMax = 500
export const historyDaysDefault = 30

/** Where a device posts its messages, below the address of the server. The form of the body is that of the app. */
export const smsIntakePath = (key: string): string => `/sms/${key}`

/** Characters of the key with which a device signs what it forwards. */
export const smsSigningKeyMaxLength = 256

/** The longest note of a domain, in characters: 10,000 domains are listed in one answer. */
export const domainNoteMaxLength = 200

/** What a deployment can be (specification, section 4.5). */
export const deploymentKinds = ['form', 'webhook', 'shortlink'] as const
export type DeploymentKind = (typeof deploymentKinds)[number]

/** How many failing deliveries of a webhook its list counts: more cost the list of an account with many webhooks milliseconds. */
export const failingCountMax = 100

/** How many entries each list of the console's start page has: the pages of the areas have all. */
export const overviewEntriesMax = 5

/** How many days the histories of the console's start page have. */
export const overviewDays = 7

/** The start page names domains that expire within so many days. */
export const overviewExpiryDays = 30

/** The start page adds up the uses of at most so many deployments: each one costs microseconds. */
export const overviewDeploymentsMax = 1_000

/** How many characters of a message the start page shows. */
export const overviewTextMax = 200
/** What the search of the console finds. */
export const foundKinds = [
  'site',
  'zone',
  'certificate',
  'domain',
  'record',
  'file',
  'package',
  ...deploymentKinds,
  'key',
  'credential',
  'sender',
] as const
export type FoundKind = (typeof foundKinds)[number]

/** The most results of one search. */
export const foundMax = 20

/** The longest text of a search, in characters. */
export const searchTextMaxLength = 100

/** For how many minutes after the password was entered the console shows secrets, and creates tokens that may do everything. */
export const recentPasswordMinutes = 10

/** The most networks of a token. */
export const tokenNetworksMax = 50

/** The most days without a use after which a token ends. */
export const tokenUnusedDaysMax = 3_650

/** For how many hours the value before a rotation may work. */
export const tokenKeepHoursMax = 24

/** Where routers set the address of one host, below the address of the server. */
export const updatePath = (key: string): string => `/u/${key}`

/** Where clients of the protocol dyndns2 update addresses, below the address of the server. */
export const dyndnsPath = '/nic/update'

/** Whether a token works, and why it does not. */
export const tokenStatuses = ['active', 'paused', 'expired', 'unused'] as const
export type TokenStatus = (typeof tokenStatuses)[number]

/**
 * The algorithms of keys that sign DNS messages: what every implementation has, of those that are still recommended (RFC 8945, section 6). A key
 * has one of them.
 */
export const tsigAlgorithms = ['hmac-sha256', 'hmac-sha512'] as const
export type TsigAlgorithm = (typeof tsigAlgorithms)[number]

/** The longest platform of a credential, in characters. */
export const platformMaxLength = 128

/** What the rules of a token can name: the token then has only those of a kind. */
export const ruleKinds = ['zone', 'site', 'package', 'deployment', 'credential'] as const
export type RuleKind = (typeof ruleKinds)[number]

export const ruleAccesses = ['read', 'write'] as const
export type RuleAccess = (typeof ruleAccesses)[number]

/** The most rules of a token. */
export const tokenRulesMax = 50

/** The most hosts in all rules of a token. */
export const tokenRuleHostsMax = 100

/** The passphrase that encrypts a downloaded private key, in characters. */
export const passphraseMinLength = 12
export const passphraseMaxLength = 200
