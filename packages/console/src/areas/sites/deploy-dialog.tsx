import { useState } from 'react'
import { FormModal } from '../../parts/form-dialog.js'
import { DeployForm } from './deploy-form.js'
import { DropArea } from './drop-area.js'
import type { Dropped } from './dropped-files.js'
import type { Deployed } from './queries.js'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
  /** What was dropped on the page; undefined if the dialog asks for it. */
  readonly dropped: Dropped | undefined
  readonly onDrop: (dropped: Dropped | undefined) => void
  /** The site to deploy; undefined if the user names it. */
  readonly site?: string
  readonly onDeployed: (site: Deployed) => void
}

/** Deploys a folder or a zip: first what, then under which name. */
export function DeployDialog({ opened, onClose, dropped, onDrop, site, onDeployed }: Props) {
  const [isBusy, setBusy] = useState(false)
  const close = () => {
    onDrop(undefined)
    onClose()
  }
  return (
    // While files are sent, only the button that names it stops the deployment.
    <FormModal
      opened={opened}
      onClose={close}
      title={site === undefined ? 'Deploy a site' : `Deploy a new version of ${site}`}
      size="lg"
      withCloseButton={!isBusy}
      closeOnClickOutside={!isBusy && dropped === undefined}
      closeOnEscape={!isBusy}
    >
      {dropped === undefined ? (
        <DropArea title="Drop a folder or a zip here" onDrop={onDrop}>
          A folder with an <code>index.html</code>, such as the <code>dist</code> of your build tool.
        </DropArea>
      ) : (
        <DeployForm
          dropped={dropped}
          site={site}
          onBusy={setBusy}
          onOther={() => onDrop(undefined)}
          onDeployed={(deployed) => {
            close()
            onDeployed(deployed)
          }}
        />
      )}
    </FormModal>
  )
}
