import { ActionIcon, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface Props {
  /** The thing, for screen readers: "A www.example.com". */
  readonly of: string
  /** Its `Menu.Item`s. */
  readonly children: ReactNode
}

/** The actions of a row that has no space for buttons. */
export function RowMenu({ of, children }: Props) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Actions for ${of}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
