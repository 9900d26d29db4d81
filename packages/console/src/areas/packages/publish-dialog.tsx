import { useState } from 'react'
import { FormModal } from '../../parts/form-dialog.js'
import { PublishForm } from './publish-form.js'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
  readonly onPublished: (slug: string) => void
  /** The package of the new version; undefined if the user names one. */
  readonly slug?: string
  /** Its versions so far. */
  readonly versions?: readonly string[]
}

/** Publishes a version of a package, or a new package. */
export function PublishDialog({ opened, onClose, onPublished, slug, versions = [] }: Props) {
  const [isBusy, setBusy] = useState(false)
  return (
    <FormModal
      opened={opened}
      onClose={onClose}
      title={slug === undefined ? 'Publish a package' : `Publish a version of ${slug}`}
      size="lg"
      // A click beside the dialog would lose the chosen files.
      closeOnClickOutside={false}
      withCloseButton={!isBusy}
      closeOnEscape={!isBusy}
    >
      <PublishForm
        slug={slug}
        versions={versions}
        onBusy={setBusy}
        onCancel={onClose}
        onPublished={(published) => {
          onClose()
          onPublished(published)
        }}
      />
    </FormModal>
  )
}
