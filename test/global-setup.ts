// Tests never read the person's own configuration: each one names the home it uses. Which definitions they read is said from outside.
const samples = 'MOORAGE_SAMPLES'

export default function setup(): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('MOORAGE_') && name !== samples) delete process.env[name]
  }
}
