/** One thing that is to be seen inside, in the order of mounting: what comes later covers what came before. */
export type Mount =
  /** A fresh `/proc` of the sandbox's own processes; `/dev` with no more than null, zero, random and terminals. */
  | { readonly kind: "proc" | "devices" }
  /** A file or directory of the machine, under `path`; where `from` is absent it is the same one. */
  | { readonly kind: "read" | "write"; readonly path: string; readonly from?: string }
  /** An empty directory in memory, gone with the sandbox. */
  | { readonly kind: "memory"; readonly path: string; readonly bytes: number }
  | { readonly kind: "link"; readonly path: string; readonly to: string }
  /** What is mounted at `path` can no longer be written. */
  | { readonly kind: "seal"; readonly path: string };

/** Everything about a sandbox that becomes arguments of bubblewrap. */
export interface Walls {
  readonly mounts: readonly Mount[];
  /** Where the program starts. */
  readonly cwd: string;
  readonly network: "shared" | "none";
  /** Whether this bubblewrap can forbid user namespaces by itself. The seccomp filter forbids them in any case. */
  readonly disableUserns: boolean;
}

/** Namespaces, privileges and the tie to our own life. The network's namespace is the one that can be shared. */
const APART = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--die-with-parent",
  // Without a session of its own it could type into our terminal (CVE-2017-5226).
  "--new-session",
  "--hostname",
  "sandbox",
  "--cap-drop",
  "ALL",
];

export function wallArguments({ mounts, cwd, network, disableUserns }: Walls): readonly string[] {
  return [
    ...APART,
    ...(network === "none" ? ["--unshare-net"] : []),
    ...(disableUserns ? ["--disable-userns"] : []),
    ...mounts.flatMap(mountArguments),
    "--chdir",
    cwd,
  ];
}

function mountArguments(mount: Mount): readonly string[] {
  switch (mount.kind) {
    case "read":
      return ["--ro-bind", mount.from ?? mount.path, mount.path];
    case "write":
      return ["--bind", mount.from ?? mount.path, mount.path];
    case "memory":
      return ["--perms", "0700", "--size", String(mount.bytes), "--tmpfs", mount.path];
    case "proc":
      return ["--proc", "/proc"];
    case "devices":
      return ["--dev", "/dev"];
    case "link":
      return ["--symlink", mount.to, mount.path];
    case "seal":
      return ["--remount-ro", mount.path];
  }
}
