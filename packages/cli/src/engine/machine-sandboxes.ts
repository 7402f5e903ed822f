import { join } from "node:path";
import { childEnvironment, createSandboxes, type MachineSandboxes, type Spawner } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { findOnPath } from "../host/find-on-path.ts";
import type { Host } from "../host/host.ts";

/** Directory of the sessions' sandbox state. */
export function sandboxesRoot({ dataDir }: Pick<Config, "dataDir">): string {
  return join(dataDir, "sandboxes");
}

/** This machine's sandboxes, as configured. Nothing is probed before the first is needed. */
export function machineSandboxes(host: Host, config: Config, spawner: Spawner): MachineSandboxes {
  const { network, hosts, git, readable, processes, fileBytes, memoryBytes, tmpBytes } = config.sandbox;
  return createSandboxes({
    directory: sandboxesRoot(config),
    settings: {
      network,
      hosts,
      git,
      readable,
      processes,
      fileBytes,
      memoryBytes,
      memoryDirectoryBytes: tmpBytes,
    },
    platform: host.platform,
    arch: process.arch,
    file: findOnPath(host, "bwrap"),
    spawner,
    env: childEnvironment({ parent: host.env }),
    home: host.home,
    apart: [host.home, config.dataDir],
    node: process.execPath,
  });
}
