import { SimpleGrid, Stack } from '@mantine/core'
import { areas } from '@svc/contract'
import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { Page } from '../../parts/page.js'
import { AddressTool } from './address-tool.js'
import { HashTool } from './hash-tool.js'
import { RatesTool } from './rates-tool.js'
import { TimeTool } from './time-tool.js'

const { time, timestamp, ip, geo, fx, hash } = areas.public

/** Operations that need no API key. */
export function ToolsPage() {
  const { hash: anchor } = useLocation()
  useEffect(() => {
    if (anchor !== '') document.getElementById(anchor.slice(1))?.scrollIntoView()
  }, [anchor])
  return (
    <Page
      title="Public tools"
      lead="Small services that any program may call, without an API key."
      requests={[time, timestamp, ip, geo, fx, hash].map((op) => ({ op }))}
    >
      <Stack>
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <TimeTool />
          <AddressTool />
        </SimpleGrid>
        <RatesTool />
        <HashTool />
      </Stack>
    </Page>
  )
}
