import { blobsRow } from './blobs-settings.js'
import type { Config } from '../src/config/config.js'
import type { Row } from './dns-settings.js'
import { edgeRows } from './edge-settings.js'

/** Values of the settings for files, their share links, deployments and domains. */

const byteCaps = ['0', '100000000000', '999999999999999']
const badByteCaps = ['-1', '1.5', '100GB', '1e9', '1000000000000000'].map(
  (text) => [text, `is "${text}" but must be a whole number, 0 to 999999999999999.`] as const,
)

const countRow = (
  env: string,
  good: readonly string[],
  read: (packages: Config['packages']) => number,
  range: string,
): Row => ({
  env,
  good: good.map((text) => [text, ({ packages }) => read(packages), Number(text)] as const),
  bad: ['-1', 'none', '1000000000'].map(
    (text) => [text, `is "${text}" but must be a whole number, ${range}.`] as const,
  ),
})

/** Values of the settings for packages. */
const packageRows: readonly Row[] = [
  countRow('SVC_PACKAGES_MAX', ['1', '10000'], ({ packagesMax }) => packagesMax, '1 to 10000'),
  countRow('SVC_PACKAGE_VERSIONS_MAX', ['1', '2000'], ({ versionsMax }) => versionsMax, '1 to 2000'),
  countRow('SVC_ARTIFACTS_MAX', ['0', '999999999'], ({ artifactsMax }) => artifactsMax, '0 to 999999999'),
  {
    env: 'SVC_ARTIFACT_BYTES_MAX',
    good: byteCaps.map((text) => [text, ({ packages }) => packages.artifactBytesMax, Number(text)] as const),
    bad: badByteCaps,
  },
  {
    env: 'SVC_PACKAGES_BYTES_MAX',
    good: byteCaps.map((text) => [text, ({ packages }) => packages.bytesMax, Number(text)] as const),
    bad: badByteCaps,
  },
]

export const filesRows: readonly Row[] = [
  blobsRow,
  ...edgeRows,
  ...packageRows,
  {
    env: 'SVC_FILES_BYTES_MAX',
    good: byteCaps.map((text) => [text, ({ files }) => files.bytesMax, Number(text)] as const),
    bad: badByteCaps,
  },
  {
    env: 'SVC_FILE_BYTES_MAX',
    good: byteCaps.map((text) => [text, ({ files }) => files.fileBytesMax, Number(text)] as const),
    bad: badByteCaps,
  },
  {
    env: 'SVC_UPLOADS_MAX',
    good: ['0', '9999999'].map((text) => [text, ({ files }) => files.uploadsMax, Number(text)] as const),
    bad: ['-1', '10000000', 'none'].map(
      (text) => [text, `is "${text}" but must be a whole number, 0 to 9999999.`] as const,
    ),
  },
  {
    env: 'SVC_DISK_RESERVE_BYTES',
    good: ['0', '268435456'].map((text) => [text, ({ diskReserveBytes }) => diskReserveBytes, Number(text)] as const),
    bad: ['-1', '5%', '1e9'].map(
      (text) => [text, `is "${text}" but must be a whole number, 0 to 999999999999999.`] as const,
    ),
  },
  {
    env: 'SVC_FILES_MAX',
    good: ['0', '1000000', '999999999'].map((text) => [text, ({ files }) => files.filesMax, Number(text)] as const),
    bad: ['-1', '1000000000', 'none'].map(
      (text) => [text, `is "${text}" but must be a whole number, 0 to 999999999.`] as const,
    ),
  },
  {
    env: 'SVC_DOMAINS_MAX',
    good: ['1', '10000'].map((text) => [text, ({ domainsMax }) => domainsMax, Number(text)] as const),
    bad: ['0', '10001', 'none'].map((text) => [text, `is "${text}" but must be a whole number, 1 to 10000.`] as const),
  },
  {
    env: 'SVC_TLS_CERTIFICATES_MAX',
    good: ['0', '1000'].map((text) => [text, ({ tlsCertificatesMax }) => tlsCertificatesMax, Number(text)] as const),
    bad: ['-1', '1001', 'none'].map((text) => [text, `is "${text}" but must be a whole number, 0 to 1000.`] as const),
  },
  {
    env: 'SVC_ACME_ACCOUNT_ORDERS',
    good: ['1', '1000'].map(
      (text) => [text, ({ certificateOrders }) => certificateOrders.accountOrders, Number(text)] as const,
    ),
    bad: ['0', '1001', 'none'].map((text) => [text, `is "${text}" but must be a whole number, 1 to 1000.`] as const),
  },
  {
    env: 'SVC_ACME_DOMAIN_ORDERS',
    good: ['1', '1000'].map(
      (text) => [text, ({ certificateOrders }) => certificateOrders.domainOrders, Number(text)] as const,
    ),
    bad: ['0', '1001', 'none'].map((text) => [text, `is "${text}" but must be a whole number, 1 to 1000.`] as const),
  },
  {
    env: 'SVC_DEPLOYMENTS_MAX',
    good: ['0', '9999999'].map((text) => [text, ({ deploymentsMax }) => deploymentsMax, Number(text)] as const),
    bad: ['-1', '10000000', 'none'].map(
      (text) => [text, `is "${text}" but must be a whole number, 0 to 9999999.`] as const,
    ),
  },
]
