import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensure } from '../../test/servers/ensure.js'
import { freePort } from '../../test/servers/process.js'
import { startServer, type Program } from './programs.js'

interface NginxTls {
  readonly port: number
  /** A file with the certificate, its chain and its key, in PEM. */
  readonly certificate: string
  /** The only cipher suite of TLS 1.3 that it accepts. */
  readonly cipher: string
}

/** Starts nginx with sendfile. @param files by their paths @returns when it answers the first file */
export async function startNginx(
  folder: string,
  files: Readonly<Record<string, Buffer>>,
  tls?: NginxTls,
): Promise<Program> {
  await mkdir(join(folder, 'files'), { recursive: true })
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, 'files', name), bytes)
  const port = await freePort()
  // As root, the worker would otherwise be another user, who cannot read the folder of a bench.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const secure =
    tls === undefined
      ? ''
      : `listen 127.0.0.1:${String(tls.port)} ssl; ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites ${tls.cipher};
        ssl_certificate ${tls.certificate}; ssl_certificate_key ${tls.certificate};`
  const config = `${user} daemon off; master_process off; pid nginx.pid; error_log stderr error;
    events { worker_connections 256; }
    http { sendfile on; tcp_nopush on; access_log off; keepalive_requests 10000000;
      client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
      server { listen 127.0.0.1:${String(port)}; ${secure} root files; } }`
  await writeFile(join(folder, 'nginx.conf'), config)
  const [first = ''] = Object.keys(files)
  const command = [ensure('nginx'), '-e', join(folder, 'errors'), '-p', folder, '-c', 'nginx.conf']
  return startServer(command, join(folder, 'log'), `http://127.0.0.1:${String(port)}/${first}`)
}
