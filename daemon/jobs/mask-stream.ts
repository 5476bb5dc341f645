import {createMaskerOf, type Masked} from '../store/masker.js'
import {buildAutomaton} from '../store/pattern-automaton.js'
import {secretForms} from '../store/secret-forms.js'
import type {MaskedPiece} from './line-cutter.js'

/** Masks the secrets of a run in one stream, whatever the borders of its pieces. */
export interface StreamMasker {
  push(bytes: Buffer): MaskedPiece[]
  flush(): MaskedPiece[]
}

export type CreateStreamMasker = (offset: number) => StreamMasker

const shortestMaskedSecret = 4
const newline = 0x0a

/** Maskers for the streams of a run, each beginning at an offset of its source. What they know of the secrets is made once. */
export function createStreamMaskers(secrets: readonly string[]): CreateStreamMasker {
  const automaton = buildAutomaton(secrets.filter((secret) => secret.length >= shortestMaskedSecret).flatMap(secretForms))
  return (offset) => {
    const masker = createMaskerOf(automaton)
    let sourceOffset = offset
    const toPieces = ({bytes, consumed}: Masked): MaskedPiece[] => {
      if (consumed === 0) return []
      sourceOffset += consumed
      // A mask is shorter than anything it stands for, so equal lengths mean that there is none.
      return [{bytes, sourceOffset, exact: bytes.length === consumed}]
    }
    return {
      push(bytes) {
        // Pushed apart, the whole lines come out as a piece that ends with a line even where something in it was masked.
        const end = bytes.lastIndexOf(newline) + 1
        return [...toPieces(masker.push(bytes.subarray(0, end))), ...toPieces(masker.push(bytes.subarray(end)))]
      },
      flush: () => toPieces(masker.flush()),
    }
  }
}
