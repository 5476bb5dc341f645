/** What was seen of a page while it was asked for all the time. */
export interface PageSeen {
  /** The longest time between two answers. */
  readonly longestGapMs: number
  readonly answers: number
  /** Each text that came, once, in the order of the first. */
  readonly texts: readonly string[]
}

export interface PageWatch {
  stop(): Promise<PageSeen>
}

const pauseMs = 50
const patienceMs = 1000

/** Asks for a page again and again until it is stopped; only whole answers of 200 count. */
export function watchPage(url: string): PageWatch {
  let isOver = false
  const texts = new Set<string>()
  let [last, longestGapMs, answers] = [performance.now(), 0, 0]
  const watch = async () => {
    while (!isOver) {
      const text = await fetch(url, {signal: AbortSignal.timeout(patienceMs), headers: {connection: 'close'}}).then((response) => (response.status === 200 ? response.text() : undefined), () => undefined)
      const now = performance.now()
      longestGapMs = Math.max(longestGapMs, now - last)
      if (text !== undefined) {
        texts.add(text.trim())
        answers += 1
        last = now
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  const watching = watch()
  return {
    async stop() {
      isOver = true
      await watching
      return {longestGapMs: Math.round(longestGapMs), answers, texts: [...texts]}
    },
  }
}
