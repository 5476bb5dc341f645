const firstCapacity = 64

/**
 * Keys by instant, earliest first. A key is in it once; setting it again moves it, so an edit can leave nothing old behind.
 * Instants and places are kept in typed arrays: a hundred thousand schedules take a few megabytes.
 */
export class DueHeap {
  readonly #slots = new Map<string, number>()
  readonly #keys: (string | undefined)[] = []
  readonly #free: number[] = []
  #instants = new Float64Array(firstCapacity)
  /** Heap order: slots. */
  #order = new Int32Array(firstCapacity)
  /** Where in the order a slot stands. */
  #places = new Int32Array(firstCapacity)

  get size(): number {
    return this.#slots.size
  }

  /** The earliest instant, or undefined where there is none. */
  get nextAt(): number | undefined {
    return this.size === 0 ? undefined : this.#at(0)
  }

  set(key: string, atMs: number): void {
    const known = this.#slots.get(key)
    if (known !== undefined) {
      this.#instants[known] = atMs
      this.#settle(this.#places[known] ?? 0)
      return
    }
    const place = this.size
    const slot = this.#free.pop() ?? this.#keys.length
    this.#makeRoom(Math.max(slot, place) + 1)
    this.#keys[slot] = key
    this.#slots.set(key, slot)
    this.#instants[slot] = atMs
    this.#put(place, slot)
    this.#settle(place)
  }

  delete(key: string): void {
    const slot = this.#slots.get(key)
    if (slot === undefined) return
    const place = this.#places[slot] ?? 0
    const last = this.#order[this.size - 1] ?? slot
    this.#slots.delete(key)
    this.#keys[slot] = undefined
    this.#free.push(slot)
    if (last === slot) return
    this.#put(place, last)
    this.#settle(place)
  }

  /** Takes out the earliest key if it is due by an instant. */
  takeDue(nowMs: number): string | undefined {
    if (this.size === 0 || this.#at(0) > nowMs) return undefined
    const key = this.#keys[this.#order[0] ?? 0]
    if (key !== undefined) this.delete(key)
    return key
  }

  clear(): void {
    this.#slots.clear()
    this.#keys.length = 0
    this.#free.length = 0
  }

  #at(place: number): number {
    return this.#instants[this.#order[place] ?? 0] ?? Infinity
  }

  #put(place: number, slot: number): void {
    this.#order[place] = slot
    this.#places[slot] = place
  }

  #settle(place: number): void {
    this.#sink(this.#rise(place))
  }

  #rise(from: number): number {
    let place = from
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (this.#at(parent) <= this.#at(place)) break
      this.#swap(place, parent)
      place = parent
    }
    return place
  }

  #sink(from: number): void {
    for (let place = from; ; ) {
      const left = 2 * place + 1
      let least = place
      if (left < this.size && this.#at(left) < this.#at(least)) least = left
      if (left + 1 < this.size && this.#at(left + 1) < this.#at(least)) least = left + 1
      if (least === place) return
      this.#swap(place, least)
      place = least
    }
  }

  #swap(one: number, other: number): void {
    const slot = this.#order[one] ?? 0
    this.#put(one, this.#order[other] ?? 0)
    this.#put(other, slot)
  }

  #makeRoom(needed: number): void {
    if (needed <= this.#instants.length) return
    const capacity = Math.max(needed, this.#instants.length * 2)
    this.#instants = copyOf(this.#instants, new Float64Array(capacity))
    this.#order = copyOf(this.#order, new Int32Array(capacity))
    this.#places = copyOf(this.#places, new Int32Array(capacity))
  }
}

function copyOf<T extends Float64Array | Int32Array>(from: T, to: T): T {
  to.set(from)
  return to
}
