import { CliFailure } from "./cli-failure.ts";
import type { Simulation } from "./simulation.ts";
import { readStandardInput } from "./standard-input.ts";

export interface PromptInput {
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
