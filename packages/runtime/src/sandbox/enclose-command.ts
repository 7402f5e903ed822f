import type { ChildCommand } from "../process/child-handle.ts";
import { entryScript } from "./entry-script.ts";
import { mountNames } from "./mount-names.ts";
import type { SandboxState } from "./probe-sandbox.ts";
import { sandboxEnvironment } from "./sandbox-environment.ts";
import type { SandboxSettings } from "./sandbox-settings.ts";
import { type Mount, wallArguments } from "./walls.ts";

export interface Enclosure {
  readonly machine: Extract<SandboxState, { kind: "ready" }>;
  readonly mounts: readonly Mount[];
  /** Where agents may exchange what is mounted while a command starts. */
  readonly workspace: string;
  readonly network: "shared" | "proxy" | "none";
  readonly settings: SandboxSettings;
  /** What runs the relay to the proxy; undefined: there is none. */
  readonly node: string | undefined;
}

/** Puts commands into one sandbox: they keep their words, and get walls, limits and a narrower environment. */
export function encloser(enclosure: Enclosure): (command: ChildCommand) => ChildCommand {
  const { machine, mounts, network, settings, node } = enclosure;
  const { file, filter, disableUserns } = machine;
  const entry = entryScript(settings, node, mountNames(mounts, enclosure.workspace));
  return ({ covered: _, ...command }) => {
    const walls = {
      mounts,
      cwd: command.cwd,
      network: network === "shared" ? network : ("none" as const),
      disableUserns,
    };
    return {
      ...command,
      env: sandboxEnvironment(command.env, network),
      sandbox: { file, args: wallArguments(walls), filter, entry: ["/bin/sh", ...entry] },
    };
  };
}
