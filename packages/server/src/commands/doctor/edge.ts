import { EdgeError } from '../../ports/edge/port.js'
import { checkVarnish } from '../../ports/edge/varnish-edge.js'
import type { Check } from './check.js'

/** Whether Varnish accepts the purges of svc. */
export const edgeCheck: Check = {
  section: 'edge',
  deadlineMs: 5_000,
  async run({ config: { edge } }, report) {
    if (edge.kind === 'embedded') {
      report.ok('The cache is in the server itself.')
      return
    }
    try {
      await checkVarnish(edge)
      report.ok(`Varnish at ${edge.url} accepts purges.`)
    } catch (error) {
      if (!(error instanceof EdgeError)) throw error
      report.error(
        `${error.message} Changes of shared files answer 502 until it does.`,
        `Check that Varnish runs at ${edge.url} with integrations/varnish/default.vcl, and that its acl purgers has the address of svc.`,
      )
    }
  },
}
