import { describe, expectTypeOf, it } from 'vitest'
import type { recordTypes } from '@svc/contract'
import type { Bytes, Client, ConsoleClient } from '../src/index.js'

/** The types of the client. tsc checks them, not vitest. */

type Param<F extends (...args: never) => unknown> = Parameters<F>[0]

describe('inputs', () => {
  it('inputs are one flat object: required fields required, the others possibly undefined', () => {
    expectTypeOf<Param<Client['dns']['recordCreate']>>().toEqualTypeOf<{
      zone: string
      type: (typeof recordTypes)[number]
      host?: string | undefined
      value: string
      ttl?: number | undefined
      priority?: number | undefined
    }>()
    expectTypeOf<Client['dns']['zoneGet']>().parameters.toEqualTypeOf<[{ zone: string }]>()
  })

  it('inputs reject missing and unknown fields and wrong types', () => {
    type Input = Param<Client['dns']['recordCreate']>
    expectTypeOf<{ zone: string; type: 'A' }>().not.toExtend<Input>()
    expectTypeOf<{ zone: string; type: 'AA'; value: string }>().not.toExtend<Input>()
    expectTypeOf<{ zone: string; type: 'A'; value: string; ttl: string }>().not.toExtend<Input>()
    expectTypeOf<Input>().not.toHaveProperty('tll')
  })

  it('inputs are optional without required fields, and absent without fields', () => {
    expectTypeOf<Client['account']['me']>().parameters.toEqualTypeOf<[]>()
    expectTypeOf<Client['dns']['zoneList']>().parameters.toEqualTypeOf<
      [
        input?:
          | {
              status?: 'verified' | 'pending' | 'all' | undefined
              limit?: number | undefined
              before?: number | undefined
            }
          | undefined,
      ]
    >()
  })
})

describe('bytes', () => {
  it('bytes replace their field for operations that accept a body of bytes', () => {
    const call = (client: Client, bytes: Bytes) => client.files.uploadChunk({ index: 0 }, { bytes })
    expectTypeOf(call).returns.resolves.toHaveProperty('received')
    const both = { index: 0, content: 'aGVsbG8=' }
    expectTypeOf<Client['files']['uploadChunk']>().toBeCallableWith(both)
    // @ts-expect-error without bytes, the field is required
    expectTypeOf<Client['files']['uploadChunk']>().toBeCallableWith({ index: 0 })
  })

  it('bytes are not offered by other operations', () => {
    expectTypeOf<Parameters<Client['files']['rename']>>().toHaveProperty('length').toEqualTypeOf<1>()
    expectTypeOf<Parameters<Client['account']['me']>>().toEqualTypeOf<[]>()
  })

  it('streams take headers and a signal, and no bytes', () => {
    type Options = NonNullable<Parameters<Client['files']['download']>[1]>
    expectTypeOf<keyof Options>().toEqualTypeOf<'headers' | 'timeoutMs' | 'signal'>()
  })
})

describe('results', () => {
  it('results are data for JSON operations', () => {
    expectTypeOf<Client['public']['timestamp']>().returns.resolves.toEqualTypeOf<{ unix: number; unix_ms: number }>()
    expectTypeOf<Client['files']['delete']>().returns.resolves.toEqualTypeOf<{ id: number; deleted: true }>()
  })

  it('results are text for documents, and the response for streams', () => {
    expectTypeOf<Client['catalogue']['llms']>().returns.resolves.toEqualTypeOf<string>()
    expectTypeOf<Awaited<ReturnType<Client['catalogue']['ai']>>>().exclude<string>().toHaveProperty('tools')
    expectTypeOf<Client['files']['download']>().returns.resolves.toEqualTypeOf<Response>()
  })
})

describe('names', () => {
  it('names are those of operations, not of constants that areas export', () => {
    expectTypeOf<keyof Client['files']>().toEqualTypeOf<
      | ('list' | 'get' | 'download' | 'upload' | 'update' | 'rename' | 'delete')
      | ('uploadChunk' | 'uploadFinalize' | 'uploadList' | 'uploadDiscard' | 'usage' | 'traffic')
    >()
  })

  it('names differ by entry point', () => {
    expectTypeOf<ConsoleClient>().toHaveProperty('session')
    expectTypeOf<ConsoleClient>().toHaveProperty('dns')
    expectTypeOf<ConsoleClient>().not.toHaveProperty('catalogue')
    expectTypeOf<Client>().not.toHaveProperty('session')
  })
})
