import { blobsRow } from './blobs-settings.js'
import type { Row } from './dns-settings.js'
import { edgeRows } from './edge-settings.js'

/** Values of the settings for files, their share links and deployments. */

const byteCaps = ['0', '100000000000', '999999999999999']
const badByteCaps = ['-1', '1.5', '100GB', '1e9', '1000000000000000'].map(
  (text) => [text, `is "${text}" but must be a whole number, 0 to 999999999999999.`] as const,
)

export const filesRows: readonly Row[] = [
  blobsRow,
  ...edgeRows,
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
    env: 'SVC_FILES_MAX',
    good: ['0', '1000000', '999999999'].map((text) => [text, ({ files }) => files.filesMax, Number(text)] as const),
    bad: ['-1', '1000000000', 'none'].map(
      (text) => [text, `is "${text}" but must be a whole number, 0 to 999999999.`] as const,
    ),
  },
  {
    env: 'SVC_DEPLOYMENTS_MAX',
    good: ['0', '9999999'].map((text) => [text, ({ deploymentsMax }) => deploymentsMax, Number(text)] as const),
    bad: ['-1', '10000000', 'none'].map(
      (text) => [text, `is "${text}" but must be a whole number, 0 to 9999999.`] as const,
    ),
  },
]
