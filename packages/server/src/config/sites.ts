import { isIP } from 'node:net'
import { byteCap } from './files.js'
import { shown } from './mask.js'
import { list, wholeNumber } from './parsers.js'
import { InvalidSetting, setting } from './setting.js'

/** The settings of static sites. */
export const siteSettings = {
  sitesMax: setting({
    env: 'SVC_SITES_MAX',
    placeholder: '<number>',
    description: 'The most sites of an account',
    default: '100',
    // A list of sites has no pages.
    parse: wholeNumber(1, 10_000),
  }),
  siteBytesMax: setting({
    env: 'SVC_SITE_BYTES_MAX',
    placeholder: '<bytes>',
    description: 'The most bytes of one site, unpacked, and of its archive; 0 for no limit',
    default: '1000000000',
    parse: byteCap,
  }),
  siteFilesMax: setting({
    env: 'SVC_SITE_FILES_MAX',
    placeholder: '<number>',
    description: 'The most files of one site',
    default: '20000',
    // A deploy holds a few hundred bytes of memory for each.
    parse: wholeNumber(1, 100_000),
  }),
  sitesBytesMax: setting({
    env: 'SVC_SITES_BYTES_MAX',
    placeholder: '<bytes>',
    description:
      'The most stored bytes of the sites of an account, with kept versions and compressed forms; equal files count once; 0 for no limit',
    default: '10000000000',
    parse: byteCap,
  }),
  sitesAddresses: setting({
    env: 'SVC_SITES_ADDRESSES',
    placeholder: '<addresses>',
    description:
      "Public IPv4 and IPv6 addresses of this server, separated by commas, for the DNS records of sites' own domains; without them, the records are CNAMEs, which a zone itself cannot have",
    default: '',
    parse: addresses,
  }),
}

/** More would fill a DNS answer. */
const addressesMax = 8

function addresses(text: string): readonly string[] {
  const entries = [...new Set(list(text))]
  const wrong = entries.find((entry) => isIP(entry) === 0)
  if (wrong !== undefined)
    throw new InvalidSetting(`must list addresses such as 192.0.2.1,2001:db8::1; ${shown(wrong)} is not one`)
  if (entries.length > addressesMax) throw new InvalidSetting(`must list at most ${String(addressesMax)} addresses`)
  return entries
}
