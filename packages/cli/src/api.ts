import { Command } from 'commander'

/**
 * `svc api …`: calls operations of the API. This stub loads the contract only if the command runs; `api-tree.ts` parses
 * the arguments, so do not add settings of the program to it.
 */
export const apiCommand = (): Command =>
  new Command('api')
    .description('Call the API of a server; svc api lists its areas')
    .argument('[area]')
    .argument('[operation]')
    .argument('[flags...]')
    .helpOption(false)
    .allowUnknownOption()
    .action(async (...given) => {
      const stub = given.at(-1) as Command
      const { apiTree } = await import('./api-tree.js')
      await apiTree().parseAsync(stub.args, { from: 'user' })
    })
