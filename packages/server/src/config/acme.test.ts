import { describe, expect, it } from 'vitest'
import { refusal, set } from '../../test/read-settings.js'

describe('ACME', () => {
  const key = 'c2l4dGVlbiBieXRlcyBhdCBsZWFzdA'

  it('has an account at a CA that needs an external one', () => {
    const env = {
      SVC_PUBLIC_URL: 'https://api.example.com',
      SVC_ACME: 'on',
      SVC_ACME_EAB_KEY_ID: 'kid-1',
      SVC_ACME_EAB_KEY: key,
      SVC_ACME_PROFILE: 'shortlived',
    }
    expect(set({ ...env, SVC_ACME_URL: 'https://ca.test/dir', SVC_ACME_EMAIL: 'Ada@example.com' }).acme).toEqual({
      directoryUrl: 'https://ca.test/dir',
      email: 'ada@example.com',
      profile: 'shortlived',
      externalAccount: { kid: 'kid-1', key: Buffer.from(key, 'base64url') },
    })
  })

  it.each([{ SVC_ACME_EAB_KEY_ID: 'kid-1' }, { SVC_ACME_EAB_KEY: key }])(
    'is refused with half of an external account: %j',
    (env) => {
      expect(refusal({ SVC_ACME: 'on', SVC_PUBLIC_URL: 'https://api.example.com', ...env })).toMatchObject({
        message: 'SVC_ACME_EAB_KEY_ID and SVC_ACME_EAB_KEY belong together: set both or none.',
      })
    },
  )
})
