import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import type { Git } from "../git/run-git.ts";
import { physicalPath } from "../paths/physical-path.ts";
import { makePrivateDirectory } from "../paths/private-files.ts";
import type { Spawner } from "../process/child-handle.ts";
import { ownConfigDir } from "./agent-mounts.ts";
import { encloser } from "./enclose-command.ts";
import { writeFilter } from "./filter-file.ts";
import { lastSeals } from "./machine-mounts.ts";
import { openMountPoints } from "./mount-points.ts";
import { lazyProxy, type ProxyOptions } from "./network-proxy.ts";
import { probeSandbox, type SandboxState } from "./probe-sandbox.ts";
import { readConfig } from "./repository/read-config.ts";
import { sweepTurnRepositories } from "./repository/turn-repository.ts";
import { sandboxDirectories } from "./sandbox-directories.ts";
import { outerMounts, socketMounts } from "./sandbox-mounts.ts";
import type { SandboxSettings } from "./sandbox-settings.ts";
import type { RequestedSandbox, Sandboxes } from "./sandboxes.ts";
import { openWorkspaceMounts } from "./workspace-mounts.ts";

export interface SandboxesOptions {
  /** Ours: what is kept for sandboxes, a directory for each session. */
  readonly directory: string;
  readonly settings: SandboxSettings;
  readonly platform: NodeJS.Platform;
  readonly arch: NodeJS.Architecture;
  /** Where bubblewrap is; undefined: it was not found. */
  readonly file: string | undefined;
  readonly spawner: Spawner;
  /** The environment of the probe. */
  readonly env: Readonly<Record<string, string>>;
  /** The user's own home, and our data: never visible as a whole. */
  readonly apart: readonly string[];
  /** The home of what runs inside, where an agent's environment names no other. */
  readonly home: string;
  /** Node, which runs the relay to the proxy. */
  readonly node: string;
  readonly proxy?: Pick<ProxyOptions, "isAllowed" | "resolve">;
}

export interface MachineSandboxes extends Sandboxes {
  /** Asked once, by the first that needs to know. */
  state(): Promise<SandboxState>;
}

export function createSandboxes(options: SandboxesOptions): MachineSandboxes {
  const { directory, settings, platform, file, spawner, env } = options;
  const apart = options.apart.map(physicalPath);
  const directories = sandboxDirectories(directory);
  const git: Git = { spawner, env };
  const points = openMountPoints(join(directory, "mount-points"));
  const proxy = lazyProxy({ hosts: settings.hosts, ...options.proxy });
  let found: Promise<SandboxState> | undefined;
  const state = (): Promise<SandboxState> => {
    found ??= probeSandbox({ platform, file, spawner, env, filter: writeFilter(directory, options.arch) });
    return found;
  };
  const ready = async (): Promise<Extract<SandboxState, { kind: "ready" }>> => {
    const known = await state();
    if (known.kind === "ready") return known;
    throw new CaretError("sandbox-unavailable", `There is no sandbox here: ${known.why}`, { fix: known.fix });
  };

  return {
    state,
    git: settings.git,
    assertAvailable: async () => void (await ready()),
    async open(requested, place) {
      const machine = await ready();
      const own = directories.of(requested.sessionId);
      makePrivateDirectory(own);
      const network = networkOf(requested, settings);
      const socket = network === "proxy" ? await proxy.open() : undefined;
      const node = socket === undefined ? undefined : options.node;
      const visible = network === "shared" ? network : "none";
      const home = place.agent?.home ?? options.home;
      const config = await readConfig(git, place.workspace, { HOME: home });
      const outer = outerMounts({
        ...options,
        apart,
        requested,
        place,
        network: visible,
        directory: own,
        node,
        config: config ?? [],
      });
      const workspace = await openWorkspaceMounts({
        ...place,
        isStrict: requested.word === "strict",
        git: settings.git,
        runGit: git,
        config,
        home,
        directory: own,
        cursorFiles: requested.additions.cursorFiles ?? {},
        apart,
        points,
        holder: randomUUID(),
      });
      const mounts = [...outer, ...workspace.mounts, ...socketMounts(requested, place, socket), ...lastSeals];
      // One of ours may be reached by a link; no agent can exchange it.
      const workspacePath = place.isOurs ? physicalPath(place.workspace) : place.workspace;
      const enclose = encloser({ machine, mounts, workspace: workspacePath, network, settings, node });
      return { enclose, configDir: ownConfigDir(own), close: workspace.close };
    },
    async sweep() {
      const words = await Promise.all(directories.list().map((own) => sweepTurnRepositories(git, join(own, "git"))));
      await points.sweep();
      return words.flat();
    },
    close: proxy.close,
  };
}

/** `on` keeps the machine's network; `strict` has what the settings leave it. */
function networkOf({ word }: RequestedSandbox, { network }: SandboxSettings): "shared" | "proxy" | "none" {
  return word === "on" ? "shared" : network;
}
