import { byteCap, fileCap } from './files.js'
import { wholeNumber } from './parsers.js'
import { setting } from './setting.js'

/** The most packages of an account: a list has no pages. */
const packageCap = wholeNumber(1, 10_000)

/** The most versions of a package: they are sorted for each answer. */
const versionCap = wholeNumber(1, 2_000)

/** The limits of packages. */
export const packageSettings = {
  packagesMax: setting({
    env: 'SVC_PACKAGES_MAX',
    placeholder: '<number>',
    description: 'The most packages of an account',
    default: '1000',
    parse: packageCap,
  }),
  packageVersionsMax: setting({
    env: 'SVC_PACKAGE_VERSIONS_MAX',
    placeholder: '<number>',
    description: 'The most versions of a package',
    default: '1000',
    parse: versionCap,
  }),
  artifactsMax: setting({
    env: 'SVC_ARTIFACTS_MAX',
    placeholder: '<number>',
    description: 'The most artifacts of all packages of an account; 0 for no limit',
    default: '100000',
    parse: fileCap,
  }),
  artifactBytesMax: setting({
    env: 'SVC_ARTIFACT_BYTES_MAX',
    placeholder: '<bytes>',
    description: 'The most bytes of one artifact of a package; 0 for no limit',
    default: '1000000000',
    parse: byteCap,
  }),
  packagesBytesMax: setting({
    env: 'SVC_PACKAGES_BYTES_MAX',
    placeholder: '<bytes>',
    description: 'The most bytes of the packages of an account; 0 for no limit',
    default: '10000000000',
    parse: byteCap,
  }),
} as const
