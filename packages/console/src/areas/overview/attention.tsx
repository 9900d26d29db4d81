import { Anchor, Box, Button, Group, List, Paper, Skeleton, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheckFilled, IconClock } from '@tabler/icons-react'
import { Link } from 'react-router'
import { CardTitle } from '../../parts/text.js'
import { readAgain, type CardProps } from './card.js'
import { findings, isIncomplete, type Finding } from './findings.js'

/** Whether all is well: one line, or a list of what needs attention. */
export function Attention({ overview }: CardProps) {
  return (
    <Paper withBorder p="md" component="section" aria-label="Needs attention">
      {overview === undefined ? (
        <Skeleton height={24} width={220} />
      ) : (
        <Answer found={findings(overview)} isPartial={isIncomplete(overview)} nameserver={overview.nameserver} />
      )}
    </Paper>
  )
}

interface AnswerProps {
  readonly found: readonly Finding[]
  /** Whether a part could not be read. */
  readonly isPartial: boolean
  readonly nameserver: 'running' | 'failing' | 'external'
}

function Answer({ found, isPartial, nameserver }: AnswerProps) {
  if (found.length === 0 && !isPartial)
    return (
      <Group gap="xs" wrap="nowrap">
        <Text c="teal.7" lh={0} component="span">
          <IconCircleCheckFilled size={20} aria-hidden />
        </Text>
        <Text fw={600}>Nothing needs attention.</Text>
        {nameserver === 'running' && (
          <Text size="sm" c="dimmed">
            The nameserver is running.
          </Text>
        )}
      </Group>
    )
  return (
    <>
      <CardTitle>Needs attention</CardTitle>
      <List listStyleType="none" spacing="xs" mt="sm">
        {isPartial && (
          <List.Item>
            <Group gap="sm">
              <Text size="sm">Some parts could not be read.</Text>
              <Button size="compact-sm" variant="default" onClick={readAgain}>
                Try again
              </Button>
            </Group>
          </List.Item>
        )}
        {found.map((finding) => (
          <List.Item key={`${finding.path} ${finding.problem}`}>
            <Line {...finding} />
          </List.Item>
        ))}
      </List>
    </>
  )
}

function Line({ subject, problem, path, isBroken }: Finding) {
  const Icon = isBroken ? IconAlertTriangle : IconClock
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Box c={isBroken ? 'red.7' : 'orange.7'} lh={0} mt={2}>
        <Icon size={18} aria-hidden />
      </Box>
      <Text size="sm" style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        <Anchor component={Link} to={path} inherit fw={500}>
          {subject}
        </Anchor>{' '}
        {problem}
      </Text>
    </Group>
  )
}
