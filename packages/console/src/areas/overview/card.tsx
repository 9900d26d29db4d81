import { Anchor, Button, Group, Paper, Text } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'
import { Link } from 'react-router'
import { queryClient } from '../../parts/api/query-client.js'
import { Lines } from '../../parts/query-view.js'
import { CardTitle } from '../../parts/text.js'
import { overviewQuery, type Overview, type PartName, type PartOf } from './queries.js'

/** What the cards of the start page get: undefined until it is there. */
export interface CardProps {
  readonly overview: Overview | undefined
}

interface Props<Name extends PartName> extends CardProps {
  readonly title: string
  readonly icon: ComponentType<{ readonly size?: number | string; readonly stroke?: number | string }>
  /** The page with all entries. */
  readonly link: { readonly label: string; readonly path: string }
  /** The area whose part it shows. */
  readonly area: Name
  readonly children: (part: PartOf<Name>) => ReactNode
}

/** A part of the start page. The others are shown if it fails. */
export function Card<Name extends PartName>({ title, icon: Icon, link, overview, area, children }: Props<Name>) {
  const part = overview?.parts[area]
  if (overview !== undefined && part === undefined) return null
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
      {part ? children(part) : overview === undefined ? <Lines count={2} /> : <NotRead />}
    </Paper>
  )
}

/** A part that the server could not read. It has logged why. */
function NotRead() {
  return (
    <Group gap="sm" role="alert">
      <Text size="sm" c="red">
        This part could not be read.
      </Text>
      <Button size="compact-sm" variant="default" onClick={readAgain}>
        Try again
      </Button>
    </Group>
  )
}

export const readAgain = () => void queryClient.refetchQueries(overviewQuery)

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

/** The entries that a card does not show, as a link. */
export function More({ count, path }: { readonly count: number; readonly path: string }) {
  if (count <= 0) return null
  return (
    <Anchor component={Link} to={path} size="sm">
      {count} more
    </Anchor>
  )
}
