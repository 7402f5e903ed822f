import type { Spawner } from "../process/child-handle.ts";
import { containCommand } from "../process/containment.ts";
import { lastSeals, machineMounts } from "./machine-mounts.ts";
import { wallArguments } from "./walls.ts";

const PROBE_MS = 10_000;
const PROBE_BYTES = 1024 * 1024;

export type SandboxState =
  | {
      readonly kind: "ready";
      readonly file: string;
      readonly filter: string;
      readonly disableUserns: boolean;
    }
  | { readonly kind: "none"; readonly why: string; readonly fix: string };

export interface ProbeSandboxOptions {
  readonly platform: NodeJS.Platform;
  /** Where bubblewrap is; undefined: it was not found. */
  readonly file: string | undefined;
  readonly filter: string | undefined;
  readonly spawner: Spawner;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Whether a sandbox can be had, found out by having one with everything but a workspace: namespaces, mounts, filter. Systems
 * that have bubblewrap and refuse it are common.
 */
export async function probeSandbox(options: ProbeSandboxOptions): Promise<SandboxState> {
  const { platform, file, filter } = options;
  if (platform !== "linux")
    return {
      kind: "none",
      why: `Caret has no sandbox on ${platform}`,
      fix: "Run the gateway on Linux, or in a virtual machine.",
    };
  if (filter === undefined)
    return {
      kind: "none",
      why: "Caret does not know the system calls of this machine",
      fix: "Run the gateway on x86-64 or arm64.",
    };
  if (file === undefined)
    return { kind: "none", why: "bubblewrap is not installed", fix: "Install it: apt install bubblewrap" };
  let words = "";
  // Bubblewrap has forbidden user namespaces by itself since 0.8.
  for (const disableUserns of [true, false]) {
    words = await failureOf({ ...options, file, filter }, disableUserns);
    if (words === "") return { kind: "ready", file, filter, disableUserns };
    if (!isTooOld(words)) break;
  }
  return { kind: "none", why: `bubblewrap does not work here: ${words}`, fix: fixFor(words) };
}

async function failureOf(
  { file, filter, spawner, env }: ProbeSandboxOptions & { readonly file: string; readonly filter: string },
  disableUserns: boolean,
): Promise<string> {
  const mounts = [...machineMounts("none", PROBE_BYTES), ...lastSeals];
  const args = wallArguments({ mounts, cwd: "/", network: "none", disableUserns });
  const command = { file: "/bin/sh", args: ["-c", "exit 0"], cwd: "/", env, stdin: "closed" } as const;
  const probe = spawner.spawn(
    containCommand({ ...command, sandbox: { file, args, entry: [], filter } }, NO_CONTAINMENT),
  );
  const timer = setTimeout(() => void probe.stop({ reason: "it took too long", graceMs: 0 }), PROBE_MS);
  const exit = await probe.exit;
  clearTimeout(timer);
  if (exit.kind === "exited" && exit.code === 0) return "";
  const said = probe.stopReason ?? probe.stderrTail().trim();
  return said || (exit.kind === "exited" ? `exit code ${exit.code}` : exit.error.message);
}

function isTooOld(words: string): boolean {
  return /unknown option/i.test(words);
}

const NO_CONTAINMENT = { kind: "none", why: "a sandbox needs none" } as const;

/** What the distributions that refuse it must have configured. */
function fixFor(words: string): string {
  if (isTooOld(words)) return "Install bubblewrap 0.7 or newer.";
  if (/uid map|namespace|Operation not permitted|Permission denied|No space left/i.test(words))
    return "Allow unprivileged user namespaces: `sysctl kernel.unprivileged_userns_clone=1`, on Ubuntu from 23.10 `sysctl kernel.apparmor_restrict_unprivileged_userns=0` or an AppArmor profile for bwrap, and `sysctl user.max_user_namespaces` above 0; in a container, allow it the system calls for them.";
  return "Run `bwrap --ro-bind / / true` to see what is wrong with it.";
}
