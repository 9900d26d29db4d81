import { useMediaQuery } from '@mantine/hooks'

/** Whether the page is as narrow as on a phone, where the navigation is in a menu. */
export const useIsNarrow = (): boolean =>
  useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false })
