import { runCli } from "./cli/run-cli.ts";

await runCli({
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  pid: process.pid,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  now: Date.now,
  exit: (code) => process.exit(code),
  onSignal: (signal, handler) => {
    process.removeAllListeners(signal);
    process.on(signal, handler);
  },
  killSelf: (signal) => {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  },
});
