import type {ContainerFacts, EngineEvent} from '../../servers/engine/engine.js'
import {labelNames} from '../../../src/compose/release.js'

interface Gap {
  /** When the last container of the service that ran came to an end. */
  downAt: number | undefined
  /** When a health check of it passed last. */
  healthyAt: number | undefined
  /** The longest time without one. */
  longestMs: number
}

/** Measures how long services did not run, by the clock of the engine: from the end of the old container to the new one being up. */
export class InterruptionMeter {
  readonly #gaps = new Map<string, Gap>()

  take({action, labels, at}: EngineEvent): void {
    const serviceId = labels[labelNames.service]
    if (serviceId === undefined) return
    const gap = this.#gaps.get(serviceId) ?? {downAt: undefined, healthyAt: undefined, longestMs: 0}
    this.#gaps.set(serviceId, gap)
    if (action === 'health_status: healthy') gap.healthyAt = Date.parse(at)
    if (action === 'die') gap.downAt ??= Date.parse(at)
  }

  /** A service answers again: at the first good health check where it has one, else as its process began. */
  up(serviceId: string, {health, startedAt}: Pick<ContainerFacts, 'health' | 'startedAt'>): void {
    const gap = this.#gaps.get(serviceId)
    if (gap?.downAt === undefined) return
    const startedMs = Date.parse(startedAt ?? '')
    const upAt = health === null ? startedMs : Math.max(startedMs, gap.healthyAt ?? startedMs)
    if (!Number.isNaN(upAt)) gap.longestMs = Math.max(gap.longestMs, upAt - gap.downAt)
    gap.downAt = undefined
  }

  /** The longest gap of all; null where nothing that ran was replaced. */
  interruptionMs(): number | null {
    const gaps = [...this.#gaps.values()].map(({longestMs}) => longestMs).filter((ms) => ms > 0)
    return gaps.length === 0 ? null : Math.round(Math.max(...gaps))
  }
}
