import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testAuthority, type Issued } from '../../../../test/test-authority.js'
import { findUsable } from '../port.js'
import { FileCertificates } from './file-certificates.js'
import { openCertificates } from './open.js'

const authority = testAuthority()
afterAll(() => authority.remove())

let folder: string
let log: string[]
let opened: FileCertificates[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-certificates-'))
  log = []
  opened = []
})
afterEach(async () => {
  await Promise.all(opened.map((one) => one.close()))
  await rm(folder, { recursive: true })
})

const at = (...names: string[]) => join(folder, ...names)
const logger = () => pino({}, { write: (line: string) => void log.push((JSON.parse(line) as { msg: string }).msg) })

/** Looks at the files at the calls of `load` only. */
async function open(certificates = folder, keys = certificates): Promise<FileCertificates> {
  const files = await FileCertificates.open({ certificates, keys }, logger(), { isFollowed: false })
  opened.push(files)
  return files
}

async function store(name: string, { chain, key }: Pick<Issued, 'chain' | 'key'>): Promise<void> {
  await writeFile(at(`${name}.crt`), chain)
  await writeFile(at(`${name}.key`), key)
}

/** A file that replaces another is never half written. */
async function replace(file: string, text: string): Promise<void> {
  await writeFile(at('.new'), text)
  await rename(at('.new'), file)
}

const [first, second] = [authority.issue(['a.example']), authority.issue(['a.example'], { days: 5 })]
const served = (files: FileCertificates, name = 'a.example') => files.find(name)?.pem().chain

describe('the layouts of', () => {
  it('two files', async () => {
    await store('a', first)
    expect(served(await open(at('a.crt'), at('a.key')))).toBe(first.chain)
  })

  it('one file with certificate and key', async () => {
    await writeFile(at('both.pem'), first.key + first.chain)
    expect(served(await open(at('both.pem')))).toBe(first.chain)
  })

  it('certbot: a directory for each name, with the whole chain in one of several files', async () => {
    for (const [name, issued] of Object.entries({ 'a.example': first, 'b.example': authority.issue(['b.example']) })) {
      await mkdir(at(name))
      await writeFile(at(name, 'cert.pem'), issued.certificate)
      await writeFile(at(name, 'chain.pem'), authority.ca)
      await writeFile(at(name, 'fullchain.pem'), issued.chain)
      await writeFile(at(name, 'privkey.pem'), issued.key)
      await writeFile(at(name, 'README'), 'This directory contains your keys and certificates.')
    }
    const files = await open()
    expect(served(files)).toBe(first.chain)
    expect(files.find('b.example')?.names).toEqual(['b.example'])
    expect([...files.all()]).toHaveLength(2)
    expect(files.problems).toEqual([])
  })

  it('lego: certificates and keys side by side, and keys of SVC_TLS_KEY in another directory', async () => {
    await mkdir(at('keys'))
    await mkdir(at('certificates'))
    await writeFile(at('certificates', 'a.example.crt'), first.chain)
    await writeFile(at('certificates', 'a.example.issuer.crt'), authority.ca)
    await writeFile(at('keys', 'a.example.key'), first.key)
    expect(served(await open(at('certificates'), at('keys')))).toBe(first.chain)
  })

  it('Kubernetes: links through a hidden directory, which is swapped', async () => {
    for (const [version, issued] of Object.entries({ '..1': first, '..2': second })) {
      await mkdir(at(version))
      await writeFile(at(version, 'tls.crt'), issued.chain)
      await writeFile(at(version, 'tls.key'), issued.key)
    }
    await symlink('..1', at('..data'))
    for (const name of ['tls.crt', 'tls.key']) await symlink(join('..data', name), at(name))
    const files = await open()
    expect(served(files)).toBe(first.chain)
    await symlink('..2', at('..new'))
    await rename(at('..new'), at('..data'))
    await files.load()
    expect(served(files)).toBe(second.chain)
  })
})

describe('a renewal', () => {
  it('is served after a rename, and keeps the time of the first certificate', async () => {
    await store('a', first)
    const files = await open()
    const since = files.find('a.example')?.since
    await replace(at('a.crt'), second.chain)
    await replace(at('a.key'), second.key)
    await files.load()
    expect(served(files)).toBe(second.chain)
    expect(files.find('a.example')?.since).toBe(since)
  })

  it('is served without a call once the files have changed', async () => {
    await store('a', first)
    const files = await FileCertificates.open({ certificates: folder, keys: folder }, logger())
    opened.push(files)
    await store('a', second)
    await expect.poll(() => served(files), { timeout: 10_000 }).toBe(second.chain)
  })

  it.each<[string, () => Promise<void>, RegExp]>([
    ['is cut off', () => writeFile(at('a.crt'), first.chain.slice(0, 300)), /a\.crt: Its PEM text is cut off/],
    ['is empty', () => writeFile(at('a.crt'), ''), /a\.crt: It has no certificate any more/],
    ['has another key', () => writeFile(at('a.crt'), second.chain), /a\.crt: No private key fits its certificate/],
    ['has lost its key', () => rm(at('a.key')), /a\.crt: No private key fits/],
    ['has expired', () => store('a', authority.issue(['a.example'], { days: -1 })), /a\.crt: .* has expired on 20/],
    ['has an unusable key', () => store('a', authority.issue(['a.example'], { algorithm: 'rsa:512' })), /too small/],
  ])('that %s is not served: the old one stays, and the log says so once', async (_, change, message) => {
    await store('a', first)
    const files = await open()
    expect(log).toEqual([])
    await change()
    await files.load()
    // A program may still be writing.
    expect(log).toEqual([])
    for (let looks = 0; looks < 3; looks++) await files.load()
    expect(served(files)).toBe(first.chain)
    expect(log).toEqual([expect.stringMatching(message)])
    expect(files.problems).toEqual([expect.objectContaining({ message: expect.any(String) })])
    await store('a', second)
    await files.load()
    expect(served(files)).toBe(second.chain)
    expect(files.problems).toEqual([])
  })
})

it('a file that is gone is served until the second look', async () => {
  await store('a', first)
  await store('b', authority.issue(['b.example']))
  const files = await open()
  await rm(at('a.crt'))
  await files.load()
  expect(served(files)).toBe(first.chain)
  await files.load()
  expect(served(files)).toBeUndefined()
  expect(files.find('b.example')).toBeDefined()
})

it('one broken file of a directory does not affect the others', async () => {
  await store('a', first)
  await writeFile(at('b.crt'), authority.issue(['b.example']).chain)
  await writeFile(at('c.crt'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
  const files = await open()
  expect(served(files)).toBe(first.chain)
  expect(log.toSorted()).toEqual([
    expect.stringMatching(/b\.crt: No private key fits its certificate: set SVC_TLS_KEY/),
    expect.stringMatching(/c\.crt: It has a certificate that cannot be parsed/),
  ])
})

describe('a start with many files checks keys later', () => {
  const start = async (isFollowed: boolean) => {
    const files = await FileCertificates.open({ certificates: folder, keys: folder }, logger(), {
      isFollowed,
      checkedAtStart: 0,
    })
    opened.push(files)
    return files
  }

  it('a key that does not fit is found at the first use: the next certificate for the name is served', async () => {
    const longer = authority.issue(['a.example', 'b.example'], { days: 99 })
    await writeFile(at('longer.pem'), longer.chain + second.key)
    await writeFile(at('shorter.pem'), first.chain + first.key)
    const files = await start(false)
    expect(served(files)).toBe(longer.chain)
    expect(findUsable(files, 'a.example')?.pem()).toEqual({ chain: first.chain, key: first.key })
    expect(files.find('b.example')).toBeUndefined()
    const line = expect.stringMatching(/longer\.pem: The private key does not fit the certificate/) as string
    expect(log).toEqual([line])
    await files.load()
    expect(files.problems).toEqual([
      { path: at('longer.pem'), message: expect.stringContaining('No private key fits its certificate') as string },
    ])
    await writeFile(at('longer.key'), longer.key)
    await files.load()
    expect(served(files)).toBe(longer.chain)
    expect(files.problems).toEqual([])
  })

  it('and by itself, without a use', async () => {
    await writeFile(at('a.pem'), first.chain + second.key)
    await writeFile(at('c.pem'), authority.issue(['c.example']).chain + first.key)
    const files = await start(true)
    await expect.poll(() => [files.find('a.example'), files.find('c.example')]).toEqual([undefined, undefined])
  })

  it('a new version is checked before it replaces the one that works', async () => {
    await writeFile(at('a.pem'), first.chain + first.key)
    const files = await start(false)
    await replace(at('a.pem'), second.chain + first.key)
    await files.load()
    expect(served(files)).toBe(first.chain)
    expect(findUsable(files, 'a.example')).toBeDefined()
  })
})

it('an expired certificate is served if there is no other, and reported', async () => {
  const old = authority.issue(['a.example'], { days: -1 })
  await store('a', old)
  const files = await open()
  expect(served(files)).toBe(old.chain)
  expect(files.problems).toEqual([expect.objectContaining({ message: expect.stringMatching(/has expired on/) })])
})

describe('a start', () => {
  const start = async (certificates: string, keys = certificates) => {
    const files = await openCertificates({ certificates, keys }, logger())
    opened.push(files)
    return files
  }

  it('is refused for a file that cannot be used, with the reason', async () => {
    await store('a', first)
    await writeFile(at('empty.pem'), '')
    await expect(start(at('a.crt'))).rejects.toThrow(
      /^The certificate of SVC_TLS_CERT cannot be used\. .*a\.crt: No private key fits its certificate: set SVC_TLS_KEY/,
    )
    await expect(start(at('empty.pem'))).rejects.toThrow(/empty\.pem: It has no PEM text\./)
  })

  it('is accepted with an empty directory, for the certificates that come later', async () => {
    const files = await start(folder)
    await store('a', first)
    await files.load()
    expect(served(files)).toBe(first.chain)
  })
})
