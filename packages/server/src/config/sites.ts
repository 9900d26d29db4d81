import { byteCap } from './files.js'
import { wholeNumber } from './parsers.js'
import { setting } from './setting.js'

/** The settings of static sites. */
export const siteSettings = {
  sitesMax: setting({
    env: 'SVC_SITES_MAX',
    placeholder: '<number>',
    description: 'The most sites of an account; 0 for no limit',
    default: '100',
    parse: wholeNumber(0, 1_000_000),
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
}
