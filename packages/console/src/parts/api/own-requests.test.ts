import { expect, it } from 'vitest'
import { OwnRequests } from './own-requests.js'

/** The requests of a tab. */

const answerOf = (id: string) => new Response(null, { headers: { 'x-request-id': id } })

it('knows the ids of its last 1,000 answers', async () => {
  const requests = new OwnRequests()
  let count = 0
  const send = requests.tracked(() => Promise.resolve(answerOf(`req_${String(++count)}`)))
  for (let sent = 0; sent < 1_001; sent++) await send('/x')
  const ids = ['req_1', 'req_2', 'req_1001', 'req_1002', null]
  expect(ids.map(requests.has)).toEqual([false, true, true, false, false])
})

it('knows whether a write has no answer yet, also after a failure', async () => {
  const requests = new OwnRequests()
  const settle: { resolve: (answer: Response) => void; reject: (error: Error) => void }[] = []
  const send = requests.tracked(() => new Promise((resolve, reject) => settle.push({ resolve, reject })))
  const read = send('/x', { method: 'GET' })
  expect(requests.isWriting()).toBe(false)
  const writes = [send('/x', { method: 'POST' }), send('/x', { method: 'DELETE' })]
  expect(requests.isWriting()).toBe(true)
  for (const { resolve } of settle.slice(0, 2)) resolve(answerOf('req_1'))
  await Promise.all([read, writes[0]])
  expect(requests.isWriting()).toBe(true)
  settle[2]?.reject(new Error('no network'))
  await expect(writes[1]).rejects.toThrow('no network')
  expect(requests.isWriting()).toBe(false)
})
