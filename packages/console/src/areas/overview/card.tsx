import { Anchor, Group, Paper, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ComponentType, ReactNode } from 'react'
import { Link } from 'react-router'
import { Lines, QueryView } from '../../parts/query-view.js'
import { CardTitle } from '../../parts/text.js'

interface Props<Data> {
  readonly title: string
  readonly icon: ComponentType<{ readonly size?: number | string; readonly stroke?: number | string }>
  /** The page with all entries. */
  readonly link: { readonly label: string; readonly path: string }
  readonly query: UseQueryResult<Data>
  readonly children: (data: Data) => ReactNode
}

/** A part of the start page. It loads, and fails, without the others. */
export function Card<Data>({ title, icon: Icon, link, query, children }: Props<Data>) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Group justify="space-between" wrap="nowrap" mb="sm">
        <Group gap="xs" wrap="nowrap">
          <Icon size={18} stroke={1.5} />
          <CardTitle>{title}</CardTitle>
        </Group>
        <Anchor component={Link} to={link.path} size="sm" style={{ whiteSpace: 'nowrap' }}>
          {link.label}
        </Anchor>
      </Group>
      <QueryView query={query} skeleton={<Lines count={2} />}>
        {children}
      </QueryView>
    </Paper>
  )
}

/** A sentence in a card, such as if there is nothing to list. */
export function CardText({ children }: { readonly children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" component="div">
      {children}
    </Text>
  )
}

interface RowProps {
  readonly path: string
  readonly name: string
  /** Beside the name. */
  readonly children: ReactNode
  /** Below the name. */
  readonly detail?: ReactNode
}

/** An entry of a card, with a link to its page. */
export function Row({ path, name, children, detail }: RowProps) {
  return (
    <Group justify="space-between" align="flex-start" gap="xs" wrap="nowrap">
      <div style={{ minWidth: 0 }}>
        <Anchor component={Link} to={path} size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Anchor>
        {detail !== undefined && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }} component="div">
            {detail}
          </Text>
        )}
      </div>
      <Text size="sm" c="dimmed" component="div" style={{ flexShrink: 0 }}>
        {children}
      </Text>
    </Group>
  )
}

/** How many entries a card shows. */
export const rowsMax = 5

/** The entries beyond `rowsMax`, as a link. */
export function More({ count, path }: { readonly count: number; readonly path: string }) {
  if (count <= rowsMax) return null
  return (
    <Anchor component={Link} to={path} size="sm">
      {count - rowsMax} more
    </Anchor>
  )
}
