import { existsSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "../paths/private-files.ts";
import { agentMounts } from "./agent-mounts.ts";
import { PROXY_SOCKET } from "./entry-script.ts";
import { machineMounts } from "./machine-mounts.ts";
import { programMounts, readableMounts } from "./program-mounts.ts";
import { homeConfig } from "./repository/private-config.ts";
import type { ConfigEntry } from "./repository/read-config.ts";
import type { SandboxSettings } from "./sandbox-settings.ts";
import type { RequestedSandbox, SandboxPlace } from "./sandboxes.ts";
import { readUserLists } from "./user-lists.ts";
import type { Mount } from "./walls.ts";

/** Where git finds the user's lists in the sandbox's home. */
const IGNORE = ".config/git/ignore";
const ATTRIBUTES = ".config/git/attributes";

export interface OuterMountsOptions {
  readonly requested: RequestedSandbox;
  readonly place: SandboxPlace;
  readonly settings: SandboxSettings;
  readonly network: "shared" | "none";
  /** Ours, of the session. */
  readonly directory: string;
  readonly home: string;
  readonly apart: readonly string[];
  /** What git says in the workspace. Little of it is known inside: the user's own may name helpers that know passwords. */
  readonly config: readonly ConfigEntry[];
  /** The gateway's own. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs the relay, where there is one. */
  readonly node: string | undefined;
}

/** Everything around the workspace: the machine, an empty home, programs to run, and what belongs to the agent. */
export function outerMounts(options: OuterMountsOptions): readonly Mount[] {
  const { requested, place, settings, network, directory, apart, node } = options;
  const { agent, workspace } = place;
  const programs = node === undefined ? place.programs : [...place.programs, { file: node, args: [] }];
  const home = agent?.home ?? options.home;
  const readable = [...settings.readable, ...place.readable, ...(requested.additions.readable ?? [])];
  return [
    ...machineMounts(network, settings.memoryDirectoryBytes),
    { kind: "memory", path: home, bytes: settings.memoryDirectoryBytes },
    ...gitMounts(options, home),
    ...programs.flatMap((launch) => programMounts(launch, [...apart, workspace])),
    ...readableMounts(readable),
    ...(agent === undefined ? [] : agentMounts(agent, { workspace, directory })),
  ];
}

/** What git in the sandbox knows of the user. */
function gitMounts(options: OuterMountsOptions, home: string): readonly Mount[] {
  const { directory } = options;
  const ofGit = { ".gitconfig": "gitconfig", [IGNORE]: "gitignore", [ATTRIBUTES]: "gitattributes" };
  writePrivateFile(
    join(directory, "gitconfig"),
    homeConfig(options.config, { ignore: join(home, IGNORE), attributes: join(home, ATTRIBUTES) }),
  );
  const configHome = options.env["XDG_CONFIG_HOME"] || join(home, ".config");
  const lists = readUserLists(options.config, { home, configHome });
  writePrivateFile(join(directory, "gitignore"), lists.ignore);
  writePrivateFile(join(directory, "gitattributes"), lists.attributes);
  return Object.entries(ofGit).map(([name, from]) => ({
    kind: "read",
    path: join(home, name),
    from: join(directory, from),
  }));
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
