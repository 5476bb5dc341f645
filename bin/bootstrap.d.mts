export function adviceForOldNode(version: string): string | undefined
