import { Kbd } from '@mantine/core'

/** Keys beside the name of what they do. Screen readers read them in the list of keys. @param keys `g d` */
export const KeyCaps = ({ keys }: { readonly keys: string }) => (
  <span aria-hidden style={{ whiteSpace: 'nowrap' }}>
    {keys.split(' ').map((key) => (
      <Kbd key={key} size="xs" ml={4}>
        {key}
      </Kbd>
    ))}
  </span>
)
