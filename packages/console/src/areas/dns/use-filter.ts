import { useSearchParams } from 'react-router'

/** A filter of a list, in the address: a link shows the same list. Empty without a filter. */
export function useFilter(name: string): readonly [string, (value: string) => void] {
  const [parameters, setParameters] = useSearchParams()
  const set = (value: string) =>
    setParameters(
      (now) => {
        if (value === '') now.delete(name)
        else now.set(name, value)
        return now
      },
      { replace: true },
    )
  return [parameters.get(name) ?? '', set]
}
