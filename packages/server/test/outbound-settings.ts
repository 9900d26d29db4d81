import type { Config } from '../src/config/config.js'
import type { Row } from './dns-settings.js'

const allowed = ({ outboundAllow }: Config) => outboundAllow

const form = 'must list addresses and networks such as 10.0.0.5, 192.168.1.0/24 or fd00::/8, separated by commas'

/** The setting of outbound requests: accepted values with what they mean, and rejected ones with the reason. */
export const outboundRows: readonly Row[] = [
  {
    env: 'SVC_OUTBOUND_ALLOW',
    good: [
      ['192.168.1.0/24, fd00::/8,', allowed, ['192.168.1.0/24', 'fd00::/8']],
      ['10.0.0.5,::1', allowed, ['10.0.0.5/32', '::1/128']],
      ['0.0.0.0/0,10.0.0.5,10.0.0.5/32', allowed, ['0.0.0.0/0', '10.0.0.5/32']],
    ],
    bad: [
      ...['nas.lan', '10', '10.1/16', '010.0.0.1', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '/8'],
      ...['::1/129', 'fe80::1%eth0'],
    ].map((text) => [`127.0.0.1,${text}`, `is "127.0.0.1,${text}" but ${form}; "${text}" is not one.`] as const),
  },
]
