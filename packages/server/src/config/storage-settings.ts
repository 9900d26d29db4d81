import { byteCap, fileCap, uploadCap } from './files.js'
import { deploymentCap } from './parsers.js'
import { setting } from './setting.js'
import { siteCap, siteFileCap } from './sites.js'

/** How much an account may store. */
export const storageSettings = {
  filesBytesMax: setting({
    env: 'SVC_FILES_BYTES_MAX',
    placeholder: '<bytes>',
    description: 'The most bytes of the files and open uploads of an account; 0 for no limit',
    default: '100000000000',
    parse: byteCap,
  }),
  fileBytesMax: setting({
    env: 'SVC_FILE_BYTES_MAX',
    placeholder: '<bytes>',
    description: 'The most bytes of one file; 0 for no limit',
    default: '10000000000',
    parse: byteCap,
  }),
  uploadsMax: setting({
    env: 'SVC_UPLOADS_MAX',
    placeholder: '<number>',
    description: 'The most open uploads of an account; 0 for no limit',
    default: '100',
    parse: uploadCap,
  }),
  filesMax: setting({
    env: 'SVC_FILES_MAX',
    placeholder: '<number>',
    description: 'The most files of an account, each part of a large upload counted as one; 0 for no limit',
    default: '1000000',
    parse: fileCap,
  }),
  deploymentsMax: setting({
    env: 'SVC_DEPLOYMENTS_MAX',
    placeholder: '<number>',
    description: 'The most forms, webhooks and short links of an account; 0 for no limit',
    default: '10000',
    parse: deploymentCap,
  }),
  sitesMax: setting({
    env: 'SVC_SITES_MAX',
    placeholder: '<number>',
    description: 'The most sites of an account; 0 for no limit',
    default: '100',
    parse: siteCap,
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
    parse: siteFileCap,
  }),
  sitesBytesMax: setting({
    env: 'SVC_SITES_BYTES_MAX',
    placeholder: '<bytes>',
    description:
      'The most stored bytes of the sites of an account, with kept versions and compressed forms; equal files count once; 0 for no limit',
    default: '10000000000',
    parse: byteCap,
  }),
} as const
