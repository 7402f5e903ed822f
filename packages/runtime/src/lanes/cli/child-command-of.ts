import type { ChildCommand, ChildStdin } from "../../process/child-handle.ts";
import type { ResolvedLaunch } from "../../process/resolve-launch.ts";
import type { ResolvedProfile } from "../../profiles/profile.ts";
import type { AgentHost } from "./agent-host.ts";

/** A command that runs the agent in a workspace, logged in with a profile. */
export function childCommandOf<Stdin extends ChildStdin>(parts: {
  readonly host: AgentHost;
  readonly launch: ResolvedLaunch;
  readonly args: readonly string[];
  readonly workspace: string;
  readonly profile: ResolvedProfile;
  readonly stdin: Stdin;
  /** Overrides of the agent's environment. */
  readonly set?: Readonly<Record<string, string>>;
}): ChildCommand & { readonly stdin: Stdin } {
  const { host, launch, args, workspace, profile, stdin, set } = parts;
  const env = { ...host.environment(profile), ...set };
  return { file: launch.file, args: [...launch.args, ...args], cwd: workspace, env, stdin };
}
