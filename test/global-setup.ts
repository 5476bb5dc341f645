// Tests never read the person's own configuration: each one names the home it uses.
export default function setup(): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('MOORAGE_')) delete process.env[name]
  }
}
