import {enginePath, EngineRefused, type EngineHttp} from '../ask-engine.js'
import type {EngineCalls} from '../engine-calls.js'
import {toImageFacts} from '../image-facts.js'
import {parseImageRef} from '../image-ref.js'

export function imageCalls(http: EngineHttp): Pick<EngineCalls, 'image' | 'tag' | 'removeImage'> {
  return {
    async image(ref, {signal}) {
      try {
        return toImageFacts(await http.json({method: 'GET', path: enginePath('images', ref, 'json'), signal}))
      } catch (error) {
        return hasStatus(error, [404]) ? undefined : Promise.reject(error)
      }
    },
    async tag(ref, tag, {signal}) {
      const {repository, version} = parseImageRef(tag)
      await http.json({method: 'POST', path: enginePath('images', ref, 'tag'), query: {repo: repository, tag: version}, signal})
    },
    async removeImage(ref, {signal}) {
      try {
        await http.json({method: 'DELETE', path: enginePath('images', ref), signal})
      } catch (error) {
        // Gone, or something still uses it.
        if (!hasStatus(error, [404, 409])) throw error
      }
    },
  }
}

export function hasStatus(error: unknown, statuses: readonly number[]): boolean {
  return error instanceof EngineRefused && statuses.includes(error.status)
}
