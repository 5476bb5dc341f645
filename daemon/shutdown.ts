/** Whatever has started and must stop again, last first. */
export class Shutdown {
  readonly #steps: (() => Promise<void> | void)[] = []

  add(step: () => Promise<void> | void): void {
    this.#steps.unshift(step)
  }

  // Every step gets its turn although one fails; the first failure is told at the end.
  async run(): Promise<void> {
    const failures: unknown[] = []
    for (const step of this.#steps) {
      try {
        await step()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
