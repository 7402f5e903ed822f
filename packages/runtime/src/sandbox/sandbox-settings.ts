/** How sandboxes are made here, whatever turn they are for. */
export interface SandboxSettings {
  /** What of the network a `strict` sandbox has: the hosts below through a proxy of ours, or nothing. */
  readonly network: "proxy" | "none";
  /** `example.com`, `*.example.com` with all below it, or `host:port`, whose address may be a private one. */
  readonly hosts: readonly string[];
  /** `guarded`: a turn has a repository of its own in the place of the workspace's. `open`: all of `.git` is writable. */
  readonly git: "guarded" | "open";
  /** Further files and directories that may be read. */
  readonly readable: readonly string[];
  /** How large each of the directories in memory may get. */
  readonly memoryDirectoryBytes: number;
  /** How many processes and threads. It does not bind a sandbox of the root user: the kernel exempts it. */
  readonly processes: number;
  /** The largest file a process may write. */
  readonly fileBytes: number;
  /** The most data memory of one process; undefined: no limit. */
  readonly memoryBytes?: number | undefined;
}
