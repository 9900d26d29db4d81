import { Spotlight, type SpotlightActionData } from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useMemo } from 'react'
import { useNavigate } from 'react-router'
import { areas } from '../areas/index.js'

/** The command palette (Ctrl K): every page, and what can be made on it. */
export function Palette() {
  const navigate = useNavigate()
  const actions = useMemo(
    () =>
      areas.flatMap(({ label, path, icon: Icon, commands = [] }): SpotlightActionData[] => {
        const icon = <Icon size={18} stroke={1.5} />
        const entries = [{ label, path }, ...commands]
        return entries.map((entry) => ({
          id: `${label}/${entry.label}`,
          label: entry.label,
          leftSection: icon,
          ...(entry.label === label ? {} : { description: label }),
          onClick: () => void navigate(`/${entry.path}`),
        }))
      }),
    [navigate],
  )
  return (
    <Spotlight
      actions={actions}
      shortcut="mod + K"
      nothingFound="No page or command has this name."
      highlightQuery
      scrollable
      maxHeight={420}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: 'Search pages and commands',
        'aria-label': 'Search',
      }}
    />
  )
}
