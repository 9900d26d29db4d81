import type { DownloadDescription } from '../../../http/answer.js'
import type { RuleMatcher } from '../rules/matcher.js'
import type { ContentForm } from './contents-in-memory.js'
import type { Encoding } from '../../../shared/encodings.js'
import { defaultHeaders } from './file-headers.js'
import type { StoredFile } from './store.js'

/** A file in the form that a client accepts, with its headers. */
export interface FileAnswer {
  readonly head: DownloadDescription
  readonly form: ContentForm
}

interface Circumstances {
  /** Of the request, decoded: `_headers` refers to it. */
  readonly path: string
  readonly status: 200 | 404
  readonly site: { readonly deployedAt: number; readonly rules: RuleMatcher }
  /** The preferred one first. */
  readonly accepted: readonly Encoding[]
}

/** Each form has its own entity tag (RFC 9110, section 8.8.3.3). */
const suffixes: Readonly<Record<Encoding, string>> = { identity: '', br: '-br', gzip: '-gzip' }

export function answerWith(file: StoredFile, { path, status, site, accepted }: Circumstances): FileAnswer {
  const { forms, contentId, sha256 } = file
  const encoding = accepted.find((candidate) => forms[candidate] !== undefined) ?? 'identity'
  const form = forms[encoding] ?? forms.identity
  const { 'content-type': mediaType = 'application/octet-stream', ...headers } = site.rules.applyHeaders(
    path,
    defaultHeaders(file.path, { path, status }),
  )
  const hasForms = forms.br !== undefined || forms.gzip !== undefined
  return {
    form: { ...form, contentId, encoding },
    head: {
      ...(status === 404 && { status }),
      size: form.size,
      lastModified: site.deployedAt,
      mediaType,
      name: '',
      disposition: 'none',
      etag: `"${Buffer.from(sha256, 'hex').toString('base64url')}${suffixes[encoding]}"`,
      headers: {
        ...headers,
        ...(hasForms && { vary: 'Accept-Encoding' }),
        ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      },
    },
  }
}
