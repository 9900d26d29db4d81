import { expect, it } from 'vitest'
import { createSecret, signatureHeaders } from './signature.js'

it('signs the example of the specification', () => {
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    sentAt: 1_614_265_330_999,
    body: Buffer.from('{"test": 2432232314}'),
  }
  expect(signatureHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message)).toEqual([
    ...['webhook-id', 'msg_p5jXN8AQM9LWM0D4loKWxJek'],
    ...['webhook-timestamp', '1614265330'],
    ...['webhook-signature', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
  ])
})

it('secrets are different, with 32 bytes', () => {
  const secrets = Array.from({ length: 10 }, createSecret)
  expect(new Set(secrets).size).toBe(10)
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
})
