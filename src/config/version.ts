import manifest from '../../package.json' with {type: 'json'}

/** The release; also the engine version that app definitions compare with. */
export const version: string = manifest.version
