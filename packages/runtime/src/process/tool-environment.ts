import { type ChildEnvironmentOptions, childEnvironment } from "./child-environment.ts";

/** The environment of what a tool starts. It is not the agent's CLI and must not see our Cursor keys. */
export function toolEnvironment({ parent, set }: Omit<ChildEnvironmentOptions, "allow">): Record<string, string> {
  const ours = Object.keys(parent).filter((name) => /^(?:CURSOR_|AGENT_CLI_)/i.test(name));
  return childEnvironment({ parent, set: { ...Object.fromEntries(ours.map((name) => [name, undefined])), ...set } });
}
