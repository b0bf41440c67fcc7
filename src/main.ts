/** Runs the program by its command line, once its modules can be imported. */
export async function main(): Promise<void> {
  // The writer thread takes half as long to load as everything else, so both are loaded in parallel.
  if (process.argv[2] === 'serve') {
    const { prepareThread } = await import('./runtime/start-thread.ts');
    const { DATABASE_URL, DATABASE_URL_FILE } = process.env;
    prepareThread(DATABASE_URL || DATABASE_URL_FILE ? 'postgres-writer-thread' : 'writer-thread');
  }
  const { runCommand } = await import('./cli/run-command.ts');
  await runCommand();
}
