import { SimpleGrid } from '@mantine/core'
import { areas, consoleAreas } from '@svc/contract'
import { Page } from '../../parts/page.js'
import { LastMessages, RecentDeploys, Storage } from './content-cards.js'
import { Counts } from './counts.js'
import { FirstSteps } from './first-steps.js'
import { ExpiringDomains, PendingZones } from './names-cards.js'

/** The start page: what needs attention, then what happened last. */
export function OverviewPage() {
  return (
    <Page
      title="Overview"
      lead="What needs your attention, and what happened last."
      requests={[
        { op: areas.domains.list },
        { op: areas.dns.zoneList, input: { status: 'pending' } },
        { op: consoleAreas.files.usage },
        { op: areas.sites.list },
        { op: areas.sms.messageList },
      ]}
    >
      <FirstSteps />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <ExpiringDomains />
        <PendingZones />
      </SimpleGrid>
      <Counts />
      <SimpleGrid cols={{ base: 1, lg: 3 }} spacing="md">
        <Storage />
        <RecentDeploys />
        <LastMessages />
      </SimpleGrid>
    </Page>
  )
}
