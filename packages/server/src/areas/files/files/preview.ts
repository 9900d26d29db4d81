import type { ConsoleAreas } from '@svc/contract'
import { fileKindOf } from '@svc/contract/limits'
import type { Handlers } from '../../../http/handler.js'
import type { FilesDependencies } from '../dependencies.js'
import { downloadOf } from './presenter.js'
import { fileStore } from './store.js'

/** Shows PDF files inside of the console. Images, sound and video need no document: the page embeds their downloads. */
export function previewHandler({ database, open, limits }: FilesDependencies): Handlers<ConsoleAreas['files']> {
  const files = fileStore(database, limits)
  return {
    async preview({ query }, { account }) {
      const file = await files.get(account, query.id)
      return downloadOf(file, {
        disposition: 'attachment',
        ...(fileKindOf(file.mediaType) === 'pdf' && { framedAs: 'application/pdf' }),
        open: (range) => open(file, range),
      })
    },
  }
}
