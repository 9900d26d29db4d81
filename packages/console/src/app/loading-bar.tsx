import { VisuallyHidden } from '@mantine/core'
import { useNavigation } from 'react-router'
import classes from './shell.module.css'

/** Shows at the top of the window that the next page is being loaded. */
export function LoadingBar() {
  const isLoading = useNavigation().state === 'loading'
  return (
    <div role="status">
      {isLoading && (
        <div className={classes['loading']}>
          <VisuallyHidden>Loading</VisuallyHidden>
        </div>
      )}
    </div>
  )
}
