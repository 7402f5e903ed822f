import { CliFailure } from "./cli/cli-failure.ts";
import { runUpstream } from "./upstream/run-upstream.ts";

try {
  const upstream = await runUpstream({ argv: process.argv.slice(2), stdout: process.stdout });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void upstream.close());
} catch (error) {
  if (!(error instanceof CliFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
