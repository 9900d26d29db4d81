import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ensure } from '../../../test/servers/index.js'

const run = promisify(execFile)

export interface OpensslCa {
  /** The root and an intermediate that it has signed, in PEM. */
  readonly root: string
  readonly intermediate: string
  /** Signs a certificate request in DER. @param options of `openssl x509`, such as `-days 1` @returns the certificate in PEM */
  readonly sign: (csr: Buffer, ...options: string[]) => Promise<string>
  readonly stop: () => void
}

/** A CA made with the openssl command, which checks the signature of each certificate request. */
export async function opensslCa(): Promise<OpensslCa> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ca-'))
  const file = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => run(ensure('openssl'), args, { cwd: folder })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  writeFileSync(file('ca.cnf'), 'basicConstraints=critical,CA:true\nsubjectKeyIdentifier=hash\n')
  await openssl('req', '-x509', ...newKey, '-keyout', 'root.key', '-out', 'root.pem', '-subj', '/CN=Root', '-days', '9')
  await openssl('req', '-new', ...newKey, '-keyout', 'middle.key', '-out', 'middle.csr', '-subj', '/CN=Middle')
  const byRoot = ['-CA', 'root.pem', '-CAkey', 'root.key', '-extfile', 'ca.cnf', '-days', '9']
  await openssl('x509', '-req', '-in', 'middle.csr', ...byRoot, '-out', 'middle.pem')
  let requests = 0
  return {
    root: readFileSync(file('root.pem'), 'utf8'),
    intermediate: readFileSync(file('middle.pem'), 'utf8'),
    sign: async (csr, ...options) => {
      const name = `${++requests}.csr`
      writeFileSync(file(name), csr)
      const request = ['-req', '-inform', 'DER', '-in', name, '-copy_extensions', 'copyall']
      const { stdout } = await openssl('x509', ...request, '-CA', 'middle.pem', '-CAkey', 'middle.key', ...options)
      return stdout
    },
    stop: () => rmSync(folder, { recursive: true }),
  }
}
