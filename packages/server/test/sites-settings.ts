import type { Row } from './dns-settings.js'

/** Values of the settings for static sites. */

const byteCaps = ['0', '1000000000', '999999999999999']
const badByteCaps = ['-1', '1.5', '1GB', '1000000000000000'].map(
  (text) => [text, `is "${text}" but must be a whole number, 0 to 999999999999999.`] as const,
)

const nineAddresses = Array.from({ length: 9 }, (_, n) => `192.0.2.${n}`).join(',')

export const sitesRows: readonly Row[] = [
  {
    env: 'SVC_SITES_MAX',
    good: ['1', '10000'].map((text) => [text, ({ sites }) => sites.sitesMax, Number(text)] as const),
    bad: ['0', '10001', 'none'].map((text) => [text, `is "${text}" but must be a whole number, 1 to 10000.`] as const),
  },
  {
    env: 'SVC_SITE_BYTES_MAX',
    good: byteCaps.map((text) => [text, ({ sites }) => sites.siteBytesMax, Number(text)] as const),
    bad: badByteCaps,
  },
  {
    env: 'SVC_SITE_FILES_MAX',
    good: ['1', '100000'].map((text) => [text, ({ sites }) => sites.siteFilesMax, Number(text)] as const),
    bad: ['0', '100001', 'none'].map(
      (text) => [text, `is "${text}" but must be a whole number, 1 to 100000.`] as const,
    ),
  },
  {
    env: 'SVC_SITES_BYTES_MAX',
    good: byteCaps.map((text) => [text, ({ sites }) => sites.bytesMax, Number(text)] as const),
    bad: badByteCaps,
  },
  {
    env: 'SVC_SITES_ADDRESSES',
    good: [
      ['192.0.2.1', ({ sitesAddresses }) => sitesAddresses, ['192.0.2.1']],
      ['192.0.2.1, 2001:db8::1,192.0.2.1', ({ sitesAddresses }) => sitesAddresses, ['192.0.2.1', '2001:db8::1']],
    ],
    bad: [
      ...['svc.example', '192.0.2.1:80', '[::1]'].map(
        (text) =>
          [text, `is "${text}" but must list addresses such as 192.0.2.1,2001:db8::1; "${text}" is not one.`] as const,
      ),
      [nineAddresses, `is "${nineAddresses}" but must list at most 8 addresses.`],
    ],
  },
]
