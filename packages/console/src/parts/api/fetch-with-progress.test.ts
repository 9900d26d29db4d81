import { afterEach, expect, it, vi } from 'vitest'
import { fetchWithProgress } from './fetch-with-progress.js'

afterEach(() => vi.unstubAllGlobals())

/** Every request gets this answer. */
function answerWith(status: number, responseText: string) {
  class FakeRequest {
    readonly upload = {}
    readonly status = status
    readonly responseText = responseText
    onload = () => undefined
    open = () => undefined
    setRequestHeader = () => undefined
    getAllResponseHeaders = () => 'content-type: application/json\r\nx-request-id: req_1\r\n'
    send = () => void setTimeout(() => this.onload())
  }
  vi.stubGlobal('XMLHttpRequest', FakeRequest)
}

const send = () => fetchWithProgress(() => undefined)('/v1/x', { method: 'POST', body: 'a' })

it.each([
  [200, '{"a":1}'],
  [204, ''],
  [502, ''],
])('resolves with the answer of status %i', async (status, text) => {
  answerWith(status, text)
  const answer = await send()
  expect([answer.status, answer.headers.get('x-request-id'), await answer.text()]).toEqual([status, 'req_1', text])
})

it('rejects an answer that is not valid instead of waiting forever', async () => {
  answerWith(999, '')
  await expect(send()).rejects.toThrow(RangeError)
})
