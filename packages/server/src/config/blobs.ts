import { resolve } from 'node:path'
import type { BlobsConfig } from '../ports/blobs/select.js'
import { webUrl } from './parsers.js'
import { InvalidSetting } from './setting.js'
import { parseUrl } from '../shared/parse-url.js'

const form = 'must be file:<directory> or s3://<bucket>?endpoint=<url>&region=<region>'

/** Parses SVC_BLOBS. */
export function blobs(text: string): BlobsConfig {
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === 'file') return directory(text.slice('file:'.length))
  if (scheme === 's3') return bucket(text)
  throw new InvalidSetting(form)
}

function directory(path: string): BlobsConfig {
  if (path === '') throw new InvalidSetting(`${form}: the directory is missing`)
  if (/^\/\/(?!\/)/.test(path)) throw new InvalidSetting(`${form}: a path after file: starts with one slash or none`)
  return { kind: 'disk', folder: resolve(path) }
}

function bucket(text: string): BlobsConfig {
  const url = parseUrl(text)
  if (!url) throw new InvalidSetting(form)
  const { hostname, port, pathname, username, password, searchParams, hash } = url
  if (username !== '' || password !== '')
    throw new InvalidSetting(`${form}: the credentials are not part of it, svc reads them like every AWS SDK`)
  if (port !== '' || !/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(hostname))
    throw new InvalidSetting(`${form}: a bucket has 3 to 63 lower-case letters, digits, . and -`)
  if ((pathname !== '' && pathname !== '/') || hash !== '') throw new InvalidSetting(`${form}, without a path`)
  const unknown = [...searchParams.keys()].find((name) => name !== 'endpoint' && name !== 'region')
  if (unknown !== undefined) throw new InvalidSetting(`${form}, without other parameters`)
  return { kind: 's3', bucket: hostname, ...endpointOf(searchParams), ...regionOf(searchParams) }
}

function endpointOf(parameters: URLSearchParams): { endpoint?: string } {
  const text = parameters.get('endpoint')
  if (text === null) return {}
  const url = webUrl(text)
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!isPlain)
    throw new InvalidSetting(`${form}: the endpoint must be an http or https URL without user, password and query`)
  return { endpoint: url.href.replace(/\/$/, '') }
}

function regionOf(parameters: URLSearchParams): { region?: string } {
  const region = parameters.get('region')
  if (region === null) return {}
  if (!/^[a-z\d-]{1,64}$/i.test(region))
    throw new InvalidSetting(`${form}: the region must be letters, digits and -, such as eu-central-1`)
  return { region }
}
