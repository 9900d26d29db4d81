import { accountCommand } from './account-command.js'
import { apiCommand } from './api.js'
import { backupCommand } from './backup-command.js'
import { databaseCommand } from './database-command.js'
import { dnsCommand } from './dns-commands.js'
import { doctorCommand } from './doctor-command.js'
import { edgeCommand } from './edge-commands.js'
import { keyCommand } from './key-commands.js'
import { planCommand } from './limit-commands.js'
import { mailCommand } from './mail-commands.js'
import { eventsCommand } from './event-commands.js'
import { nameserverCommand } from './nameserver-command.js'
import { programOf, runProgram } from './program.js'
import { restoreCommand } from './restore-command.js'
import { serveCommand } from './serve-command.js'
import { setupCodeCommand } from './setup-code-command.js'
import { tlsCommand } from './tls-commands.js'
import { tokenCommand } from './token-commands.js'
import { userCommand } from './user-commands.js'

/** Runs a command line in the form of `process.argv`. Exit codes: 0 for success, 1 for a failure, 2 for wrong usage. */
export const run = (argv: readonly string[]): Promise<void> => runProgram(argv, program)

const program = () =>
  programOf([
    serveCommand(),
    nameserverCommand(),
    setupCodeCommand(),
    userCommand(),
    planCommand(),
    accountCommand(),
    tokenCommand(),
    dnsCommand(),
    edgeCommand(),
    keyCommand(),
    tlsCommand(),
    mailCommand(),
    backupCommand(),
    restoreCommand(),
    databaseCommand(),
    doctorCommand(),
    eventsCommand(),
  ]).addCommand(apiCommand())
