import type { ReactNode } from 'react'
import { Confirm } from '../../parts/confirm.js'
import { copyText } from '../../parts/copy-text.js'
import { notifyDone, notifyError, notifyNext } from '../../parts/notify.js'
import { setShared } from './changes.js'
import { linkCopied } from './links.js'
import type { File } from './queries.js'

interface Props {
  readonly file: File
  /** The switch or button. */
  readonly children: (toggle: () => void) => ReactNode
}

/** Shares a file at once. Asks before it ends a link, because sharing again creates another one. */
export function ShareToggle({ file, children }: Props) {
  const share = () => {
    setShared(file, true).then(({ share_url: link }) => {
      const text = `${file.name} is shared: anyone with its link can open it.`
      if (link === null) notifyDone(text)
      else notifyNext(text, { label: 'Copy the link', run: () => copyText(link), done: linkCopied })
    }, notifyError)
  }
  return (
    <Confirm
      title={`Stop sharing ${file.name}?`}
      action="Stop sharing"
      run={async () => {
        await setShared(file, false)
        notifyDone(`${file.name} is private again.`)
      }}
      trigger={(open) => children(file.shared ? open : share)}
    >
      The link stops working at once. If you share the file again, it gets a new link, and the old one stays invalid.
    </Confirm>
  )
}
