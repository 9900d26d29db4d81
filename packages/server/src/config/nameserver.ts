import { readFileSync } from 'node:fs'
import { addressAndPort, domain, text } from './parsers.js'
import { InvalidSetting, optional, setting, settingsOf, type AnySetting, type Setting, type Values } from './setting.js'
import { settings } from './settings.js'

/** The settings of `svc nameserver`. Those that it shares with `svc serve` have the same names there. */

function primaryAddress(given: string) {
  const address = addressAndPort(given)
  if (address !== undefined) return address
  throw new InvalidSetting('must be an address such as 192.0.2.1, 192.0.2.1:5300 or [2001:db8::1]:53')
}

/** The algorithms of keys (RFC 8945, section 6), as `svc dns key add` offers them. */
const algorithms = ['hmac-sha256', 'hmac-sha512'] as const

/** Minimum octets of a secret: an attacker could guess a shorter one. */
const secretMin = 16

const keyForm =
  'must be ALGORITHM:NAME:SECRET, as svc dns key add prints it, or NAME:ALGORITHM:SECRET: hmac-sha256:ns2:<44 letters and digits>'

const algorithmOf = (name: string) => algorithms.find((one) => one === name.toLowerCase())

/** A key of TSIG. Programs write the algorithm first (dig, nsupdate) or second (Knot, NSD). */
function tsigKey(given: string) {
  const [, first = '', second = '', secret = ''] = /^([\w.-]+):([\w.-]+):([A-Za-z\d+/]+=*)$/.exec(given.trim()) ?? []
  const [name, algorithmName] = algorithmOf(second) === undefined ? [second, first] : [first, second]
  const algorithm = algorithmOf(algorithmName)
  const octets = Buffer.from(secret, 'base64')
  if (name === '' || name.length > 250 || algorithm === undefined || octets.length < secretMin)
    throw new InvalidSetting(keyForm)
  return { name: name.toLowerCase().replace(/\.$/, ''), algorithm, secret: octets }
}

type NameserverKey = ReturnType<typeof tsigKey>

/** Reads the key from a file, which other users of the machine cannot see. */
function keyFile(file: string): NameserverKey {
  let contents
  try {
    contents = readFileSync(file, 'utf8')
  } catch (error) {
    throw new InvalidSetting(
      `must be a file that can be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
    )
  }
  return tsigKey(contents)
}

/** The setting with the flag that the command has: it needs no prefix there. */
const withFlag = <T>(setting: Setting<T>, flag: string): Setting<T> => ({ ...setting, flag })

/** In the order of `--help`. */
export const nameserverGroup = {
  primary: withFlag(
    optional(
      'SVC_DNS_PRIMARY',
      'Required: the address of the svc whose zones to serve, such as 192.0.2.1 or 192.0.2.1:5300',
      { type: text('<address>', primaryAddress), default: 'none' },
    ),
    'primary',
  ),
  key: withFlag(
    optional(
      'SVC_DNS_PRIMARY_KEY',
      'Required, or --key-file: the key from svc dns key add, ALGORITHM:NAME:SECRET; prefer the environment, because other users of the machine can see flags',
      { type: text('<key>', tsigKey), default: 'none', secret: true },
    ),
    'key',
  ),
  keyFile: withFlag(
    optional('SVC_DNS_PRIMARY_KEY_FILE', 'A file with the key', { type: text('<file>', keyFile), default: 'none' }),
    'key-file',
  ),
  catalog: withFlag(
    setting('SVC_DNS_CATALOG', 'The name of the catalog zone', {
      type: text('<name>', domain),
      default: 'catalog.invalid',
    }),
    'catalog',
  ),
  data: settings.data,
  dnsHost: settings.dns.host,
  dnsPort: settings.dns.port,
  rateLimit: settings.dns.rateLimit,
  host: settings.host,
  port: settings.port,
  logLevel: settings.logLevel,
}

type NameserverValues = Values<typeof nameserverGroup>

export const nameserverSettings: readonly AnySetting[] = settingsOf(nameserverGroup)

/**
 * Applies the rules that need several settings.
 * @param isRefused whether the value of a setting is refused already
 */
export function nameserverOf(
  { primary, key, keyFile, ...values }: NameserverValues,
  refuse: (problem: string) => void,
  isRefused: (setting: AnySetting) => boolean,
) {
  if (primary === undefined && !isRefused(nameserverGroup.primary))
    refuse('--primary or SVC_DNS_PRIMARY is missing: the address of the svc whose zones to serve.')
  const hasBadKey = isRefused(nameserverGroup.key) || isRefused(nameserverGroup.keyFile)
  if (key === undefined && keyFile === undefined && !hasBadKey)
    refuse('SVC_DNS_PRIMARY_KEY, --key-file or --key is missing: make a key with svc dns key add on the primary.')
  if (key !== undefined && keyFile !== undefined) refuse('There are two keys: set SVC_DNS_PRIMARY_KEY, or --key-file.')
  const none: NameserverKey = { name: '', algorithm: 'hmac-sha256', secret: Buffer.alloc(0) }
  return { ...values, primary: primary ?? { host: '', port: 0 }, key: key ?? keyFile ?? none }
}
