import { expect, it } from 'vitest'
import { ApiError, areas } from '@svc/contract'
import { inputChecks } from './validate.js'

const checksOf = inputChecks()
const publish = checksOf(areas.packages.publish)
const create = checksOf(areas.dns.recordCreate)

const refusal = (message: string) => new ApiError('bad_request', message)

it("adds the schema's description to the message about a pattern", () => {
  expect(() => publish.body({ ...areas.packages.publish.example.body, slug: 'A_1' })).toThrow(
    refusal(
      'slug must match ^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$ (Name of the package in addresses: a to z, 0 to 9 and inner hyphens), not "A_1".',
    ),
  )
})

it('names the field as data, and no field if the whole input is wrong', () => {
  const refusalOf = (check: () => unknown): unknown => {
    try {
      return check()
    } catch (error) {
      return error
    }
  }
  const body = publish.body
  expect(refusalOf(() => body({ slug: 'a', version: '1.0.0', artifacts: [{ name: 7, content: '' }] }))).toMatchObject({
    about: { field: 'artifacts[0].name', problem: 'must be a string, not 7.' },
  })
  expect(refusalOf(() => body({ version: '1.0.0' }))).toMatchObject({
    about: { field: 'slug', problem: 'is required.' },
  })
  const list = checksOf(areas.files.list)
  expect(refusalOf(() => list.query({ limit: '0x10' }, '/?limit=0x10'))).toMatchObject({
    about: { field: 'limit', problem: 'must be an integer in decimal digits, not "0x10".' },
  })
  expect(refusalOf(() => body([]))).toMatchObject({ message: 'The body must be a JSON object.', about: undefined })
})

it('leaves out the limits that the area checks, and no others', () => {
  const record = { type: 'A', host: 'a/b', value: '192.0.2.1', ttl: 60, priority: 70_000 }
  expect(create.body(record)).toEqual(record)
  expect(() => create.body({ ...record, value: '' })).toThrow(refusal('value must not be empty.'))
  expect(() => create.body({ ...record, priority: 2 ** 53 })).toThrow(
    refusal('priority must be at most 9007199254740991, not 9007199254740992.'),
  )
})

it('does not show the value of a secret', () => {
  const secret = 'hunter2'
  const store = checksOf(areas.cred.store)
  const body = (given: unknown) => () => store.body({ platform: 'a', secret: given })
  expect(body(7_413)).toThrow(refusal('secret must be a string.'))
  expect(body(secret.repeat(10_000))).toThrow(refusal('secret must have at most 65536 characters.'))
  expect(body('')).toThrow(refusal('secret must not be empty.'))
})
