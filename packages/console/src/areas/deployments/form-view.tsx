import { Paper, Stack, Tabs, Text } from '@mantine/core'
import { CodeSample } from '../../parts/code-sample.js'
import { Fact } from '../../parts/fact.js'
import { CardTitle } from '../../parts/text.js'
import type { Detail } from './queries.js'
import { formCurl, formHtml, formScript } from './samples.js'
import { Submissions } from './submissions.js'

/** A form: its submissions, and the code to put it on a page. The code is first while it is the next step. */
export function FormView(detail: Detail) {
  return (
    <>
      {detail.uses === 0 && <Snippet {...detail} />}
      <Submissions form={detail} />
      {detail.uses > 0 && <Snippet {...detail} />}
    </>
  )
}

function Snippet({ url, form }: Detail) {
  const origins = form?.origins ?? []
  const nextUrls = form?.next_urls ?? []
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <CardTitle>Add the form to your page</CardTitle>
        <Fact label="Sites that may send it">{origins.length === 0 ? 'Any site' : origins.join(', ')}</Fact>
        {nextUrls.length > 0 && <Fact label="Thank-you pages on other sites">{nextUrls.join(', ')}</Fact>}
        <Tabs defaultValue="html" keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="html">HTML</Tabs.Tab>
            <Tabs.Tab value="script">JavaScript</Tabs.Tab>
            <Tabs.Tab value="curl">curl</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="html" pt="sm">
            <CodeSample code={formHtml(url)} what="the HTML of the form" />
            <Text size="sm" mt="xs">
              <code>_gotcha</code> is a trap for programs that fill in all fields: keep it hidden. <code>_next</code> is
              the page that visitors see afterwards; without it they see a short page of this server.{' '}
              <code>_subject</code> is kept apart from the other fields.
            </Text>
          </Tabs.Panel>
          <Tabs.Panel value="script" pt="sm">
            <CodeSample code={formScript(url)} what="the script" />
          </Tabs.Panel>
          <Tabs.Panel value="curl" pt="sm">
            <CodeSample code={formCurl(url, origins[0])} what="the command" />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Paper>
  )
}
