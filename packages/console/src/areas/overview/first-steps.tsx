import { Anchor, Group, Paper, Progress, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconCircle, IconCircleCheckFilled, IconX } from '@tabler/icons-react'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { Link } from 'react-router'
import { IconAction } from '../../parts/icon-action.js'
import { CardTitle, Hint, Note } from '../../parts/text.js'
import { keysQuery } from '../account/queries.js'
import { zonesQuery } from '../dns/queries.js'
import { usageQuery } from '../files/queries.js'
import { sitesQuery } from '../sites/queries.js'

interface Step {
  readonly title: string
  readonly text: string
  readonly path: string
  /** Whether it is done. */
  readonly query: UseQueryResult<boolean>
}

/** What a new account can do first. It disappears when all is done, or when the user hides it. */
export function FirstSteps() {
  const [isHidden, hide] = useLocalStorage({ key: 'svc.first-steps-hidden', defaultValue: false })
  const steps = useSteps()
  const done = steps.filter(({ query }) => query.data === true).length
  const isKnown = steps.every(({ query }) => query.data !== undefined)
  // Until all answers are there, an account that has done everything must not see the list for a moment.
  const mayShow = isKnown || steps.some(({ query }) => query.data === false)
  if (isHidden || !mayShow || done === steps.length) return null
  return (
    <Paper withBorder p="md" component="section" aria-label="First steps">
      <Group justify="space-between" wrap="nowrap" mb="xs">
        <CardTitle>First steps</CardTitle>
        <Group gap="xs" wrap="nowrap">
          <Note>
            {done} of {steps.length} done
          </Note>
          <IconAction icon={IconX} label="Hide the first steps" onClick={() => hide(true)} />
        </Group>
      </Group>
      <Progress value={(done / steps.length) * 100} size="sm" mb="md" aria-hidden />
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map((step) => (
          <StepItem key={step.title} {...step} />
        ))}
      </SimpleGrid>
    </Paper>
  )
}

function useSteps(): readonly Step[] {
  const zones = useQuery({ ...zonesQuery, select: ({ zones }) => zones.length > 0 })
  const files = useQuery({ ...usageQuery, select: ({ files }) => files > 0 })
  const sites = useQuery({ ...sitesQuery, select: ({ sites }) => sites.length > 0 })
  const keys = useQuery({ ...keysQuery, select: ({ keys }) => keys.length > 0 })
  return [
    { title: 'Claim a zone', text: 'Serve the DNS records of a domain.', path: '/dns?claim', query: zones },
    { title: 'Upload a file', text: 'Share it with a link.', path: '/files', query: files },
    { title: 'Deploy a site', text: 'Drop a folder to publish it.', path: '/sites?new', query: sites },
    { title: 'Create an API key', text: 'Let a script do all of this.', path: '/account/keys?new', query: keys },
  ]
}

function StepItem({ title, text, path, query }: Step) {
  return (
    <li>
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <StepMark query={query} />
        <div>
          <Anchor component={Link} to={path} size="sm" fw={500}>
            {title}
          </Anchor>
          <Hint>{query.data === true ? 'Done.' : text}</Hint>
        </div>
      </Group>
    </li>
  )
}

function StepMark({ query: { data: isDone, isPending } }: Pick<Step, 'query'>) {
  if (isPending) return <Skeleton circle width={20} height={20} />
  return isDone === true ? (
    <Text c="teal.7" lh={0} component="span">
      <IconCircleCheckFilled size={20} aria-label="Done" role="img" />
    </Text>
  ) : (
    <Text c="dimmed" lh={0} component="span">
      <IconCircle size={20} aria-label="To do" role="img" />
    </Text>
  )
}
