import { describe, expect, it } from 'vitest'
import { readNameserverConfig } from './config.js'

const secret = Buffer.alloc(32, 1).toString('base64')
const read = (flags: Readonly<Record<string, string>>) => readNameserverConfig({ flags, env: {} })

describe('the key of svc nameserver', () => {
  it.each([`ns2:hmac-sha256:${secret}`, `hmac-sha256:ns2:${secret}`, `HMAC-SHA256:NS2.:${secret}\n`])(
    'may be %j',
    (key) => {
      const expected = { name: 'ns2', algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 1) }
      expect(read({ primary: '192.0.2.1', key }).key).toEqual(expected)
    },
  )

  it.each(['ns2', `ns2:md5:${secret}`, 'ns2:hmac-sha256:c2hvcnQ=', `:hmac-sha256:${secret}`])(
    'must not be %j, and is not called missing then',
    (key) => {
      expect(() => read({ primary: '192.0.2.1', key })).toThrow(/^--key must be ALGORITHM:NAME:SECRET.*\.$/)
    },
  )
})
