import { CliFailure } from "./process/cli-failure.ts";
import { runUpstream } from "./upstream/run-upstream.ts";

try {
  const { upstream, greeting } = await runUpstream(process.argv.slice(2));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void upstream.close());
  process.stdout.write(greeting);
} catch (error) {
  if (!(error instanceof CliFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
