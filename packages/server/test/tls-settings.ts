import type { Row } from './dns-settings.js'

const place = 'must name a file or a directory that exists.'
const port = 'must be a port number, 0 to 65535.'

/** The settings of TLS. Accepted values need others beside them: `config/tls.test.ts`. */
export const tlsRows: readonly Row[] = [
  { env: 'SVC_TLS_PORT', good: [], bad: [['https', `is "https" but ${port}`]] },
  { env: 'SVC_TLS_CERT', good: [], bad: [['/no/such.pem', `is "/no/such.pem" but ${place}`]] },
  { env: 'SVC_TLS_KEY', good: [], bad: [['/no/such.key', `is "/no/such.key" but ${place}`]] },
  { env: 'SVC_HTTP_PORT', good: [['0', ({ tls }) => tls, undefined]], bad: [['-1', `is "-1" but ${port}`]] },
]
