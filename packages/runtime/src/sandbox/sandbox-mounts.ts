import { existsSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "../paths/private-files.ts";
import { agentMounts } from "./agent-mounts.ts";
import { PROXY_SOCKET } from "./entry-script.ts";
import { machineMounts } from "./machine-mounts.ts";
import { programMounts, readableMounts } from "./program-mounts.ts";
import type { SandboxSettings } from "./sandbox-settings.ts";
import type { RequestedSandbox, SandboxPlace } from "./sandboxes.ts";
import type { Mount } from "./walls.ts";

export interface OuterMountsOptions {
  readonly requested: RequestedSandbox;
  readonly place: SandboxPlace;
  readonly settings: SandboxSettings;
  readonly network: "shared" | "none";
  /** Ours, of the session. */
  readonly directory: string;
  readonly home: string;
  readonly apart: readonly string[];
  /** Whose commits they are, as a configuration of git. The user's own may name helpers that know passwords. */
  readonly identity: string;
  /** Runs the relay, where there is one. */
  readonly node: string | undefined;
}

/** Everything around the workspace: the machine, an empty home, programs to run, and what belongs to the agent. */
export function outerMounts(options: OuterMountsOptions): readonly Mount[] {
  const { requested, place, settings, network, directory, apart, node } = options;
  const { agent, workspace } = place;
  const programs = node === undefined ? place.programs : [...place.programs, { file: node, args: [] }];
  const home = agent?.home ?? options.home;
  const identity = join(directory, "gitconfig");
  writePrivateFile(identity, options.identity);
  const readable = [...settings.readable, ...place.readable, ...(requested.additions.readable ?? [])];
  return [
    ...machineMounts(network, settings.memoryDirectoryBytes),
    { kind: "memory", path: home, bytes: settings.memoryDirectoryBytes },
    { kind: "read", path: join(home, ".gitconfig"), from: identity },
    ...programs.flatMap((launch) => programMounts(launch, [...apart, workspace])),
    ...readableMounts(readable),
    ...(agent === undefined ? [] : agentMounts(agent, { workspace, directory })),
  ];
}

/** The only holes: sockets that lead to the gateway. */
export function socketMounts(
  { additions }: RequestedSandbox,
  { sockets }: SandboxPlace,
  proxySocket: string | undefined,
): readonly Mount[] {
  const named = [...sockets, ...(additions.sockets ?? [])].filter((path) => existsSync(path));
  return [
    ...named.map((path) => ({ kind: "write", path }) as const),
    ...(proxySocket === undefined ? [] : [{ kind: "write", path: PROXY_SOCKET, from: proxySocket } as const]),
  ];
}
