import { ActionIcon, Tooltip } from '@mantine/core'
import type { ComponentType } from 'react'
import { rowOpener } from './key-targets.js'

interface Props {
  readonly icon: ComponentType<{ readonly size?: number | string }>
  /** The verb and the object, for screen readers: "Delete A www.example.com". */
  readonly label: string
  /** In the tooltip; the label by default. */
  readonly hint?: string
  readonly color?: 'gray' | 'red'
  /** Whether Enter on the row does this. */
  readonly opensRow?: true
  readonly onClick: () => void
}

/** A button with only an icon, for a row of a list. */
export function IconAction({ icon: Icon, label, hint = label, color = 'gray', opensRow, onClick }: Props) {
  return (
    <Tooltip label={hint}>
      <ActionIcon variant="subtle" color={color} aria-label={label} onClick={onClick} {...(opensRow && rowOpener)}>
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  )
}
