import type { ConsoleAreas } from '@svc/contract'
import { fileKindOf } from '@svc/contract/limits'
import type { Handlers } from '../../../http/handler.js'
import { contentPolicyOf } from '../../../http/headers.js'
import type { FilesDependencies } from '../dependencies.js'
import { downloadOf } from './presenter.js'
import { fileStore } from './store.js'

type PreviewHandler = Pick<Handlers<ConsoleAreas['files']>, 'preview'>

const pdf = 'application/pdf'

/** Shows PDF files inside of the console. Images, sound and video need no document: the page embeds their downloads. */
export function previewHandler({ database, open, limits }: FilesDependencies): PreviewHandler {
  const files = fileStore(database, limits)
  return {
    async preview({ query }, { account }) {
      const file = await files.get(account, query.id)
      const isPdf = fileKindOf(file.mediaType) === 'pdf'
      return downloadOf(file, {
        // Never the text of the owner, which a browser may read as another type.
        mediaType: isPdf ? pdf : file.mediaType,
        disposition: isPdf ? 'inline' : 'attachment',
        headers: { 'content-security-policy': `${contentPolicyOf(isPdf ? pdf : '')}; frame-ancestors 'self'` },
        open: (range) => open(file, range),
      })
    },
  }
}
