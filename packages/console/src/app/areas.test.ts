import { foundKinds } from '@svc/contract/limits'
import { expect, it } from 'vitest'
import { areas } from './areas.js'

it.each(foundKinds)('one area opens what the search finds: %s', (kind) => {
  const opening = areas.filter(({ finds }) => finds?.[kind] !== undefined)
  expect(opening).toHaveLength(1)
  const path = opening[0]?.finds?.[kind]?.(['1', '2'])
  expect(path?.split(/[/?]/, 1)).toEqual([opening[0]?.path])
})
