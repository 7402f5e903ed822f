import { homedir } from "node:os";
import { exitCodes, type Host } from "./host/host.ts";
import { commandForm } from "./host/program.ts";
import { runCaret } from "./run-caret.ts";

/** The composition root: the only reader of the process's arguments, environment and signals. */
const host: Host = {
  argv: process.argv.slice(2),
  env: process.env,
  command: commandForm(process.argv[1] ?? "", process.env, process.cwd()),
  cwd: process.cwd(),
  home: homedir(),
  platform: process.platform,
  uid: process.getuid?.(),
  // Opened on first use: a gateway never reads it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  onSignal(listener) {
    process.on("SIGINT", listener).on("SIGTERM", listener);
    return () => process.off("SIGINT", listener).off("SIGTERM", listener);
  },
  jobControl: {
    // The whole group: `npx` or a shell script waits for us, and the shell watches them.
    suspend: () => void process.kill(0, "SIGTSTP"),
    interrupt: () => void process.kill(0, "SIGINT"),
    onContinue(listener) {
      process.on("SIGCONT", listener);
      return () => process.off("SIGCONT", listener);
    },
    onExit(listener) {
      process.on("exit", listener);
      return () => process.off("exit", listener);
    },
  },
};

// A reader that went away must not crash us; the writers detect it themselves.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

// The code until the command ends: if the event loop runs dry before that, it has failed. Not awaited: the bundle is a script and cannot.
process.exitCode = exitCodes.failed;
void runCaret(host).then((code) => {
  process.exitCode = code;
});
