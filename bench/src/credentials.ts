import { apiClient } from './api-client.js'
import type { Program } from './programs.js'

/** Stores credentials over the API, which encrypts them. @throws Error if one is rejected */
export async function storeCredentials({ url }: Program, token: string, count: number): Promise<void> {
  const api = apiClient(url, { authorization: `Bearer ${token}` })
  const stored = await Promise.all(
    Array.from({ length: count }, (_, n) => {
      const credential = { platform: `platform${String(n % 50)}.example`, label: `label ${String(n)}`, username: 'ada' }
      return api.send('POST', '/v1/cred', { ...credential, secret: `correct horse battery staple ${String(n)}` })
    }),
  )
  api.close()
  for (const { status, text } of stored) if (status !== 200) throw new Error(text)
}
