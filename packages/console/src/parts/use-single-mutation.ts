import { useMutation, type UseMutationOptions } from '@tanstack/react-query'
import { useState } from 'react'
import { repeatGuard } from './repeat-guard.js'

/**
 * `useMutation` for a button: a double click sends once. `isPending` is too late for that, because both clicks can come before the next
 * render.
 */
export function useSingleMutation<Answer, Input = void>(options: UseMutationOptions<Answer, Error, Input>) {
  const [guard] = useState(() => repeatGuard())
  const mutation = useMutation({
    ...options,
    onSettled: async (...settled) => {
      guard.end(settled[1] === null)
      await options.onSettled?.(...settled)
    },
  })
  const mutate = (input: Input) => {
    if (guard.start(input)) mutation.mutate(input)
  }
  return { ...mutation, mutate }
}
