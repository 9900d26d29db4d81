import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A value with its name above. */
export function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div style={{ minWidth: 0 }}>
      <Text size="xs" c="dimmed" fw={500}>
        {label}
      </Text>
      <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </div>
  )
}
