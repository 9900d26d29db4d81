import { Button } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { CopyButton } from '../../parts/copy-button.js'

/** Copies the one-time code of a message. */
export function CodeButton({ code }: { readonly code: string }) {
  return (
    <CopyButton value={code}>
      {({ copied, copy }) => (
        <Button
          size="compact-sm"
          variant="light"
          color={copied ? 'teal' : 'brand'}
          leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          aria-label={copied ? `Copied the code ${code}` : `Copy the code ${code}`}
          onClick={copy}
          ff="monospace"
        >
          {code}
        </Button>
      )}
    </CopyButton>
  )
}
