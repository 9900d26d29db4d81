import type { Command } from 'commander'
import { areas, type Operation } from '@svc/contract'

export interface PublishOptions {
  readonly ifAbsent?: true
}

export const isPublish = ({ id }: Operation): boolean => id === areas.packages.publish.id

export const addPublishOptions = (command: Command): Command =>
  command.option('--if-absent', 'succeed if the version exists with the same files, for CI jobs that run again')
