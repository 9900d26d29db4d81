import type { Refusal } from './refusal.js'

/** Input that the schemas of certificates allow and the server refuses, by operation id. */
export const tlsRefusals: Readonly<Record<string, readonly Refusal[]>> = {
  'tls.key': [
    {
      message: /^passphrase must not contain/,
      why: 'Which characters are visible is beyond a pattern.',
      example: { body: { zone: 'example.com', passphrase: 'correct\nhorse battery' } },
    },
  ],
}
