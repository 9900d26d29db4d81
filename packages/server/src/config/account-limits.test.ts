import { expect, it } from 'vitest'
import { limitNames } from '../shared/account-limits.js'
import { limitSettings } from './account-limits.js'
import { allSettings } from './settings.js'

it('every setting of a maximum of an account is the limit of a resource, whose name it has', () => {
  const maxima = allSettings
    .map(({ env }) => env)
    .filter((env) => env.endsWith('_MAX') && env !== 'SVC_CONNECTIONS_MAX')
  expect(
    Object.values(limitSettings)
      .map(({ env }) => env)
      .toSorted(),
  ).toEqual(maxima.toSorted())
  for (const name of limitNames)
    expect(limitSettings[name].env.replace(/^SVC_(DNS_)?/, '').replace(/_MAX$/, '')).toBe(name.toUpperCase())
})
