import type { Simulation } from "../config/simulation.ts";
import { CliFailure } from "../process/cli-failure.ts";

interface PromptInput {
  readonly prompt: string;
  /** Settles when the other side has closed stdin (at once when it is not read at all). */
  readonly inputClosed: Promise<unknown>;
}

/** The prompt is the command line's words, else all of stdin. Leaves the invocation's line in the log. */
export async function takePrompt(
  { host, scenario, recordInvocation }: Simulation,
  words: readonly string[],
): Promise<PromptInput> {
  const spoken = words.join(" ");
  const manners = scenario?.value.stdin ?? "read";
  if (manners !== "read") {
    if (manners === "close" && "destroy" in host.stdin && typeof host.stdin.destroy === "function")
      host.stdin.destroy();
    recordInvocation();
    return { prompt: spoken || "(stdin was not read)", inputClosed: Promise.resolve() };
  }
  const input = readStandardInput(host.stdin);
  if (words.length > 0) {
    recordInvocation();
    return { prompt: required(spoken), inputClosed: input.ended };
  }
  const received = await input.ended;
  recordInvocation(received);
  return { prompt: required(received.toString("utf8").trim()), inputClosed: Promise.resolve() };
}

function required(prompt: string): string {
  if (prompt === "") throw new CliFailure("Error: No prompt provided for print mode");
  return prompt;
}

/** What came in on stdin. Reading starts at once, so that a large prompt never blocks its writer. */
interface StandardInput {
  /** Everything, once the other side has closed it. */
  readonly ended: Promise<Buffer>;
}

function readStandardInput(stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }): StandardInput {
  if (stdin.isTTY === true) return { ended: Promise.resolve(Buffer.alloc(0)) };
  const ended = new Promise<Buffer>((resolve) => {
    const chunks: Buffer[] = [];
    const done = () => resolve(Buffer.concat(chunks));
    stdin.on("data", (chunk: Buffer | string) => {
      chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    });
    stdin.once("end", done);
    // A closed or broken stdin holds as much as it has given.
    stdin.once("error", done);
    stdin.once("close", done);
  });
  return { ended };
}
