import { Button, Stack } from '@mantine/core'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../parts/empty-state.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { useDialogInUrl, useItemInUrl } from '../../parts/url-state.js'
import { WebhookCard } from './webhook-card.js'
import { EditWebhook, NewWebhook, ReplaceSecret } from './webhook-form.js'
import { webhooksQuery } from './webhook-queries.js'

/** The webhooks that get the events of the account. */
export function WebhooksPage() {
  const query = useQuery(webhooksQuery)
  const dialog = useDialogInUrl('new')
  const edited = useItemInUrl('edit')
  const replaced = useItemInUrl('secret')
  const webhookOf = ({ item }: { readonly item: string | undefined }) =>
    query.data?.webhooks.find(({ id }) => String(id) === item)
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
      Add a webhook
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      lead="Send the events of this account to your servers as they happen."
      above={{ label: 'Activity', path: '/activity' }}
      actions={add}
      requests={[
        { op: areas.account.webhookList },
        { op: areas.account.webhookCreate },
        { op: areas.account.webhookTest },
        { op: areas.account.webhookDeliveries },
      ]}
    >
      <NewWebhook opened={dialog.isOpen} onClose={dialog.close} />
      <EditWebhook webhook={webhookOf(edited)} onClose={edited.close} />
      <ReplaceSecret webhook={webhookOf(replaced)} onClose={replaced.close} />
      <QueryView query={query}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <EmptyState icon={IconWebhook} title="No webhooks yet" action={add}>
              A webhook sends events to a URL of yours: changes of zones, new API keys, sign-ins, and everything else
              that the page Activity shows.
            </EmptyState>
          ) : (
            <Stack gap="md">
              {webhooks.map((webhook) => (
                <WebhookCard
                  key={webhook.id}
                  webhook={webhook}
                  onEdit={() => edited.open(webhook.id)}
                  onReplaceSecret={() => replaced.open(webhook.id)}
                />
              ))}
            </Stack>
          )
        }
      </QueryView>
    </Page>
  )
}
