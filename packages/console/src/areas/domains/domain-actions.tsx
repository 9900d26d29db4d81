import { ActionIcon, Menu } from '@mantine/core'
import { IconDots, IconId, IconRefresh, IconTrash, IconWorld } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { notifyDone, notifyError, notifyUndo } from '../../parts/notify.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { domainsQuery, type Domain } from '../../parts/registration/queries.js'
import { showChanged, zoneNamesQuery } from './queries.js'

/** Asks the registry about a domain now. */
export function useRefresh(domain: Domain) {
  return useSingleMutation({
    mutationFn: () => client.domains.whoisSync({ domain: domain.domain }),
    onSuccess: async (fresh) => {
      // The server does not ask a registry twice within a minute: it answers with the data that it has.
      if (fresh.synced_at === domain.synced_at)
        notifyDone(`${domain.domain} is up to date: its registry answered less than a minute ago.`)
      else notifyDone(`${domain.domain} is refreshed.`)
      await showChanged(fresh)
    },
    onError: notifyError,
  })
}

/** Removes a domain from the portfolio, and offers to undo it. */
export async function removeDomain({ id, domain, note }: Domain): Promise<void> {
  const reload = () => queryClient.invalidateQueries({ queryKey: domainsQuery.queryKey })
  try {
    await client.domains.remove({ id })
  } catch (error) {
    notifyError(error)
    return
  }
  notifyUndo(`${domain} is removed from your domains.`, async () => {
    const { domains } = await client.domains.add({ domains: [domain] })
    for (const { id: addedId } of domains) if (note !== '') await client.domains.annotate({ id: addedId, note })
    await reload()
  })
  await reload()
}

/** Whether the account has a zone of this name. */
export function useHasZone(name: string): boolean {
  const { data } = useQuery({ ...zoneNamesQuery, select: (zones) => zones.includes(name) })
  return data === true
}

export const zonePath = (name: string): string => `/dns/${encodeURIComponent(name)}`
export const claimPath = (name: string): string => `/dns?claim=${encodeURIComponent(name)}`
export const whoisPath = (name: string): string => `/whois?domain=${encodeURIComponent(name)}`

/** What can be done with a domain of the list. */
export function DomainActions({ domain }: { readonly domain: Domain }) {
  const refresh = useRefresh(domain)
  const hasZone = useHasZone(domain.domain)
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          loading={refresh.isPending}
          aria-label={`Actions for ${domain.domain}`}
        >
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => refresh.mutate()}>
          Refresh from the registry
        </Menu.Item>
        <Menu.Item leftSection={<IconId size={16} />} component={Link} to={whoisPath(domain.domain)}>
          Registration data
        </Menu.Item>
        <Menu.Item
          leftSection={<IconWorld size={16} />}
          component={Link}
          to={hasZone ? zonePath(domain.domain) : claimPath(domain.domain)}
        >
          {hasZone ? 'DNS records' : 'Manage its DNS here'}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconTrash size={16} />} onClick={() => void removeDomain(domain)}>
          Remove from your domains
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
