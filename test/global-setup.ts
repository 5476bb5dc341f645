// Tests never read the person's own configuration: each one names the home it uses. Where sample definitions lie is for tests alone.
export default function setup(): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('MOORAGE_') && name !== 'MOORAGE_SAMPLES') delete process.env[name]
  }
}
