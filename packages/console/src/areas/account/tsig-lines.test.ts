import { expect, it } from 'vitest'
import { tsigLines } from './tsig-lines.js'

const key = { name: '7.0123456789abcdef.key', algorithm: 'hmac-sha256', secret: 'c2VjcmV0' }

it('each program gets the name, the algorithm and the secret in its own form', () => {
  const lines = new Map(tsigLines(key, 'ns1.example.net').map(({ program, code }) => [program, code]))
  expect([...lines.keys()]).toEqual(['nsupdate', 'lego', 'external-dns', 'certbot'])
  for (const code of lines.values()) {
    expect(code).toContain(key.name)
    expect(code).toContain(key.secret)
    expect(code).toContain('ns1.example.net')
  }
  expect(lines.get('nsupdate')).toContain('-y hmac-sha256:7.0123456789abcdef.key:c2VjcmV0')
  expect(lines.get('lego')).toContain('RFC2136_TSIG_ALGORITHM=hmac-sha256.\n')
  expect(lines.get('certbot')).toContain('dns_rfc2136_algorithm = HMAC-SHA256')
})
