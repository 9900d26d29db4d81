import { expect, it } from 'vitest'
import { allComposers } from './mail.js'

it('the first area that knows the topic of an e-mail makes it', async () => {
  const composerOf = (known: string) => ({
    'delivery-failure': ({ topic }: { readonly topic: string }) =>
      Promise.resolve(topic === known ? { title: known, paragraphs: [] } : undefined),
  })
  const compose = allComposers([composerOf('1'), {}, composerOf('events-1')])['delivery-failure']!
  const titleOf = async (topic: string) => (await compose({ accountId: 1, topic, recipient: '' }))?.title
  expect(await Promise.all(['1', 'events-1', 'other'].map(titleOf))).toEqual(['1', 'events-1', undefined])
  expect(allComposers([composerOf('1')])).not.toHaveProperty('new-browser')
})
