import { execFileSync } from 'node:child_process'
import { createPrivateKey, sign, X509Certificate } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensure } from '../../test/servers/ensure.js'

/** The names of the certificates of `writeCertificates`: all of one length. */
export const nameOf = (index: number): string => `n${String(index).padStart(5, '0')}.bench.example`

/**
 * Writes a certificate for localhost and the sites below it, and many others, each with its chain and key in a file of the folder. openssl would take minutes
 * for them: so it makes one, and the others are copies with another name and a new signature.
 */
export function writeCertificates(folder: string, count: number): void {
  mkdirSync(folder)
  const at = (name: string) => join(folder, `.${name}`)
  const openssl = (...args: readonly string[]) => execFileSync(ensure('openssl'), args, { stdio: 'pipe' })
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  openssl('req', '-x509', ...curve, '-days', '9', '-subj', '/CN=bench', '-keyout', at('ca.key'), '-out', at('ca.pem'))
  const issue = (...names: readonly string[]) => {
    openssl('req', '-new', ...curve, '-subj', '/O=svc', '-keyout', at('key'), '-out', at('csr'))
    writeFileSync(at('ext'), `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}\n`)
    const signer = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', at('ext')]
    openssl('x509', '-req', '-in', at('csr'), ...signer, '-days', '9', '-out', at('pem'))
    return { certificate: readFileSync(at('pem'), 'utf8'), key: readFileSync(at('key'), 'utf8') }
  }
  const ca = readFileSync(at('ca.pem'), 'utf8')
  const caKey = createPrivateKey(readFileSync(at('ca.key'), 'utf8'))
  const own = issue('localhost', '*.localhost')
  writeFileSync(join(folder, 'localhost.pem'), own.certificate + ca + own.key)
  const template = issue(nameOf(0))
  const { raw } = new X509Certificate(template.certificate)
  const signed = elementAt(raw, headerBytes(raw, 0))
  const algorithm = elementAt(raw, headerBytes(raw, 0) + signed.length)
  const nameAt = signed.indexOf(nameOf(0), 0, 'latin1')
  for (let index = 0; index < count; index++) {
    signed.write(nameOf(index), nameAt, 'latin1')
    const bits = Buffer.concat([Buffer.from([0]), sign('sha256', signed, caKey)])
    const pem = pemOf(sequence(0x30, Buffer.concat([signed, algorithm, sequence(0x03, bits)])))
    writeFileSync(join(folder, `${nameOf(index)}.pem`), pem + ca + template.key)
  }
}

/** The bytes of type and length of a DER element (X.690, section 8.1). */
const headerBytes = (der: Buffer, at: number): number =>
  (der[at + 1] ?? 0) < 0x80 ? 2 : 2 + ((der[at + 1] ?? 0) & 0x7f)

function elementAt(der: Buffer, at: number): Buffer {
  const header = headerBytes(der, at)
  const length = header === 2 ? (der[at + 1] ?? 0) : der.readUIntBE(at + 2, header - 2)
  return Buffer.from(der.subarray(at, at + header + length))
}

function sequence(type: number, content: Buffer): Buffer {
  const { length } = content
  const head =
    length < 0x80 ? [type, length] : length < 0x100 ? [type, 0x81, length] : [type, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}

const pemOf = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
