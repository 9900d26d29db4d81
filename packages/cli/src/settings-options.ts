import { Option, type Command } from 'commander'
import { loadDotEnv, type allSettings, type Source } from '@svc/server'

type Settings = typeof allSettings

/** Adds a flag for each setting; its help names the variable and the default. */
export function addSettings(command: Command, settings: Settings): Command {
  for (const { flag, placeholder, description, env, shownDefault } of settings) {
    const fallback = shownDefault === '' ? 'none' : shownDefault
    command.addOption(new Option(`--${flag} ${placeholder}`, `${description} (${env}, default: ${fallback})`))
  }
  return command
}

/** The sources of settings: flags, and the environment with `.env`. */
export function sourceOf(options: Readonly<Record<string, unknown>>, settings: Settings): Source {
  loadDotEnv()
  const flags: Record<string, string> = {}
  for (const { flag } of settings) {
    const given = options[flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
    if (typeof given === 'string') flags[flag] = given
  }
  return { flags, env: process.env }
}
