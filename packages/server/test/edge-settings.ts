import type { Row } from './dns-settings.js'

const edgeForm = 'must be embedded or varnish+http://<host>:<port>, without a path'

/** The settings of the cache for share links. */
export const edgeRows: readonly Row[] = [
  {
    env: 'SVC_EDGE',
    good: [
      ['Embedded', ({ edge }) => edge, { kind: 'embedded', cacheBytes: 67_108_864 }],
      ['varnish+http://127.0.0.1:6081', ({ edge }) => edge, { kind: 'varnish', url: 'http://127.0.0.1:6081' }],
      ['VARNISH+http://h:6081/', ({ edge }) => edge, { kind: 'varnish', url: 'http://h:6081' }],
    ],
    bad: ['varnish', 'http://h:6081', 'varnish+http://h:6081/x', 'varnish+http://h`y', 'varnish+ftp://h'].map(
      (text) => [text, `is "${text}" but ${edgeForm}.`] as const,
    ),
  },
  {
    env: 'SVC_EDGE_CACHE_BYTES',
    good: ['0', '1000', '1000000000000'].map(
      (text) => [text, ({ edge }) => edge, { kind: 'embedded', cacheBytes: Number(text) }] as const,
    ),
    bad: ['-1', '64M', '1e9', '1000000000001', '10000000000000'].map(
      (text) => [text, `is "${text}" but must be a whole number, 0 to 1000000000000.`] as const,
    ),
  },
]
