import { Type } from 'typebox'
import { foundKinds, foundMax, searchTextMaxLength } from '../limits.js'
import { byRule, open, operation } from '../operation.js'
import { plainTextPattern } from '../schema.js'

/** The search of the console, over all areas. */

const notShown = 'The specification has no search over all areas: the console has one.'

export const find = operation({
  id: 'search.find',
  method: 'GET',
  path: '/console/api/search',
  access: 'token',
  summary: 'Find what an account has by a part of its name',
  description: `The best ${String(foundMax)} results. The letters A to Z match in upper and lower case.`,
  open: notShown,
  query: Type.Object({
    q: Type.String(
      open(notShown, {
        ...byRule({ minLength: 1, maxLength: searchTextMaxLength, pattern: plainTextPattern }),
        description: `1 to ${String(searchTextMaxLength)} characters, without surrounding spaces`,
      }),
    ),
  }),
  data: Type.Object(
    {
      found: Type.Array(
        Type.Object({
          kind: Type.Enum([...foundKinds]),
          label: Type.String({ description: 'Its name' }),
          detail: Type.String({ description: 'What tells it from others of the same name; may be empty' }),
          path: Type.Array(Type.String(), {
            description: 'The id or the name that identifies it; the zone and the id of a record',
          }),
        }),
        { maxItems: foundMax, description: 'The best results first' },
      ),
      complete: Type.Boolean({ description: 'If false, the search of an area has failed, or took too long' }),
    },
    open(notShown),
  ),
  example: {
    query: { q: 'shop' },
    data: {
      found: [
        { kind: 'site', label: 'shop', detail: '', path: ['shop'] },
        { kind: 'record', label: 'shop.example.com', detail: 'A 192.0.2.1', path: ['example.com', '12'] },
      ],
      complete: true,
    },
  },
})
