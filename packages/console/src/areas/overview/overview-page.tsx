import { SimpleGrid, Stack } from '@mantine/core'
import { consoleAreas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { Attention } from './attention.js'
import { LastMessages, RecentDeploys, Storage } from './content-cards.js'
import { Counts } from './counts.js'
import { FirstSteps } from './first-steps.js'
import { overviewQuery, type Overview } from './queries.js'
import { RecentActivity } from './recent-activity.js'
import { WeekOfFiles, WeekOfUses } from './weeks.js'

/** The start page: whether all is well, then what happened last. */
export function OverviewPage() {
  const query = useQuery(overviewQuery)
  return (
    <Page
      title="Overview"
      lead="What needs your attention, and what happened last."
      requests={[{ op: consoleAreas.overview.show }]}
    >
      <QueryView query={query} skeleton={<Parts overview={undefined} />}>
        {(overview) => <Parts overview={overview} />}
      </QueryView>
    </Page>
  )
}

/** @property overview undefined until it is there */
function Parts({ overview }: { readonly overview: Overview | undefined }) {
  return (
    <Stack gap="lg">
      <Attention overview={overview} />
      {overview && <FirstSteps parts={overview.parts} />}
      <Counts overview={overview} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <WeekOfFiles overview={overview} />
        <WeekOfUses overview={overview} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, lg: 3 }} spacing="md">
        <Storage overview={overview} />
        <RecentDeploys overview={overview} />
        <LastMessages overview={overview} />
      </SimpleGrid>
      <RecentActivity overview={overview} />
    </Stack>
  )
}
