// Loaded before everything else and kept to what any Node can read, so that an old one gives advice instead of a syntax error.
var lowest = [20, 19]

export function adviceForOldNode(version) {
  var parts = version.replace(/^v/, '').split('.').map(Number)
  if (parts[0] > lowest[0] || (parts[0] === lowest[0] && parts[1] >= lowest[1])) return undefined
  return 'moorage needs Node.js ' + lowest.join('.') + ' or newer, and this is ' + version + '. Install a newer one from https://nodejs.org and try again.'
}
