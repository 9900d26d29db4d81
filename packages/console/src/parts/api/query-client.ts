import { NoAnswerError } from '@svc/client'
import { QueryClient } from '@tanstack/react-query'

/** A read is repeated only if the server gave no answer. */
const retriesMax = 2

/** Answers are cached for five minutes. A page that opens, or a window that gets the focus, shows the cached answer and reads it again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A browser that is offline is like a server that does not answer: `ServerWatch` ends both.
      networkMode: 'always',
      staleTime: 2_000,
      gcTime: 300_000,
      retry: (failures, error) => error instanceof NoAnswerError && failures < retriesMax,
    },
    // Passwords and new tokens do not stay in the memory once their form is closed.
    mutations: { networkMode: 'always', retry: false, gcTime: 0 },
  },
})
