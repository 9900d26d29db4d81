import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ApiError } from '@svc/contract'
import { boundary, fieldPart, filePart, formOf, formType } from '../../../test/byte-forms.js'
import { endOfFile } from './byte-body.js'
import { multipartBody } from './multipart-body.js'

/** Parses a form that arrives in chunks of the given lengths; the last one repeats. */
async function parse(form: Buffer, lengths: readonly number[] = [65_536]): Promise<{ bytes: Buffer; fields: object }> {
  async function* arriving(): AsyncGenerator<Buffer> {
    for (let at = 0, i = 0; at < form.length; i++) {
      const length = lengths[Math.min(i, lengths.length - 1)] as number
      yield await Promise.resolve(form.subarray(at, at + length))
      at += length
    }
  }
  const names = { field: 'content', name: 'name', mediaType: 'media_type' }
  const body = multipartBody(arriving(), formType, names, (given) => given)
  const chunks: Uint8Array[] = []
  for await (const chunk of body.bytes) chunks.push(chunk)
  return { bytes: Buffer.concat(chunks), fields: body.fields() }
}

const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 })

/** Bytes that often look like the end of the part. */
const tricky = fc
  .array(fc.constantFrom('\r', '\n', '-', '--', boundary, `\r\n--`, '\r\n-', 'a'), { maxLength: 40 })
  .map((pieces) => Buffer.from(pieces.join('')))
  .filter((bytes) => !bytes.includes(`\r\n--${boundary}`) && !bytes.subarray(0, 3).equals(Buffer.from(`--${boundary}`)))

it('the bytes and fields of any form arrive as they are, in any chunks', async () => {
  const content = fc.oneof(
    tricky,
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  )
  await fc.assert(
    fc.asyncProperty(content, tricky, fc.nat(2), lengths, async (bytes, text, place, sizes) => {
      const parts: (string | Buffer)[] = [fieldPart('name', text.toString()), fieldPart('a', '1')]
      parts.splice(place, 0, filePart(bytes))
      const parsed = await parse(formOf(...parts), sizes)
      expect(parsed.bytes.equals(bytes)).toBe(true)
      expect(parsed.fields).toEqual({ name: text.toString(), media_type: 'text/css', a: '1' })
    }),
    { numRuns: 300 },
  )
})

it('several files arrive as they are, each with its end and its name, in any chunks', async () => {
  const names = { field: 'files', each: { name: 'name', content: 'content' } }
  const contents = fc.array(
    fc.oneof(
      tricky,
      fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
    ),
    { minLength: 1, maxLength: 30 },
  )
  await fc.assert(
    fc.asyncProperty(contents, fc.nat(30), lengths, async (files, place, sizes) => {
      const parts: (string | Buffer)[] = files.map((content, i) => filePart(content, `${String(i)}.txt`))
      parts.splice(place, 0, fieldPart('a', '1'))
      const form = formOf(...parts)
      async function* arriving(): AsyncGenerator<Buffer> {
        for (let at = 0, i = 0; at < form.length; i++) {
          const length = sizes[i % sizes.length] as number
          yield await Promise.resolve(form.subarray(at, at + length))
          at += length
        }
      }
      const body = multipartBody(arriving(), formType, names, (given) => given, 30)
      const received: Buffer[] = []
      let pieces: Uint8Array[] = []
      for await (const piece of body.bytes)
        if (piece !== endOfFile) pieces.push(piece)
        else {
          received.push(Buffer.concat(pieces))
          pieces = []
        }
      expect(received.map((content) => content.toString('hex'))).toEqual(
        files.map((content) => content.toString('hex')),
      )
      expect(body.names()).toEqual(files.map((_, i) => `${String(i)}.txt`))
      expect(body.fields()).toEqual({ a: '1' })
    }),
    { numRuns: 150 },
  )
})

it('a damaged form never hangs: it is parsed or refused, and no error is left over', async () => {
  const whole = formOf(fieldPart('name', 'b'), filePart(Buffer.alloc(200, '\r\n-')), fieldPart('shared', 'true'))
  const damage = fc.record({
    at: fc.nat(whole.length),
    removed: fc.nat(30),
    added: fc
      .array(
        fc.constantFrom('\r\n', '\r', '\n', '--', `--${boundary}`, `\r\n--${boundary}`, ':', ';', '"', '=', '\0', 'a'),
      )
      .map((pieces) => pieces.join('')),
  })
  const errors: unknown[] = []
  const note = (error: unknown) => void errors.push(error)
  process.on('uncaughtException', note)
  await fc.assert(
    fc.asyncProperty(
      fc.array(damage, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      lengths,
      async (damages, isCut, sizes) => {
        let form = whole
        for (const { at, removed, added } of damages)
          form = Buffer.concat([form.subarray(0, at), Buffer.from(added), form.subarray(at + removed)])
        if (isCut) form = form.subarray(0, damages[0]?.at)
        const outcome = await Promise.race([
          parse(form, sizes).catch((error: unknown) => error),
          new Promise((resolve) => setTimeout(resolve, 2_000, 'hangs')),
        ])
        expect(outcome).not.toBe('hangs')
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ApiError)
      },
    ),
    { numRuns: 1_500 },
  )
  process.off('uncaughtException', note)
  expect(errors).toEqual([])
}, 60_000)
