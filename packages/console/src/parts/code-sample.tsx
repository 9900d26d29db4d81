import { Box, Code } from '@mantine/core'
import { CopyIcon } from './copy.js'

/** Code or a command to use elsewhere, with its copy button. @param what names it: "the form" */
export function CodeSample({ code, what }: { readonly code: string; readonly what: string }) {
  return (
    <Box pos="relative">
      <Code
        block
        tabIndex={0}
        role="group"
        aria-label={what}
        pr={40}
        mah={360}
        style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {code}
      </Code>
      <Box pos="absolute" top={4} right={4}>
        <CopyIcon value={code} what={what} />
      </Box>
    </Box>
  )
}
