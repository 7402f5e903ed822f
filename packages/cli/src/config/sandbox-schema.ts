import { sandboxWords } from "@caret/protocol";
import { z } from "zod";
import { key } from "./key-names.ts";
import { byteCount } from "./number-schemas.ts";

const GIBIBYTE = 1024 ** 3;

/** Cursor's own hosts: without them a sandboxed agent can neither log in nor answer. */
const CURSOR_HOSTS = ["cursor.com", "*.cursor.com", "cursor.sh", "*.cursor.sh"];

/** How turns are walled in; docs/sandbox.md explains each word. */
export function sandboxSchema() {
  return z
    .strictObject({
      mode: key(
        z.enum(sandboxWords).default("off"),
        "The least that turns are walled in by; a session or a turn may ask for more. `on`: a sandbox with the machine's " +
          "network. `strict`: one that reaches only `sandbox.hosts`. A project file may only choose a stricter one.",
        { project: sandboxWords },
      ),
      network: key(
        z.enum(["proxy", "none"]).default("proxy"),
        "What of the network a `strict` sandbox has: `sandbox.hosts` through a proxy of Caret's, or nothing.",
      ),
      hosts: key(
        z.array(z.string().min(1)).default(CURSOR_HOSTS),
        "Hosts that a `strict` sandbox reaches, on port 443: `name`, or `*.name` for all below it. `name:port` is another " +
          "port, and may have a private address.",
      ),
      git: key(
        z.enum(["guarded", "open"]).default("guarded"),
        "`guarded`: a turn in a sandbox has a repository of its own in the place of `.git`; its commits, references, index " +
          "and stashes are taken over when it ends. `open`: all of `.git` can be written.",
      ),
      readable: key(
        z.array(z.string().min(1)).default([]),
        "Further files and directories that a sandbox may read: tools outside `/usr`, for instance.",
        { path: "file" },
      ),
      processes: key(
        z.number().int().min(16).max(1_000_000).default(2_048),
        "How many processes and threads a sandbox may have. Not for the root user, whom the kernel exempts.",
      ),
      fileBytes: key(byteCount().default(8 * GIBIBYTE), "The largest file that a process in a sandbox may write."),
      memoryBytes: key(
        byteCount().optional(),
        "How much data memory each process in a sandbox may have. Unset: no limit.",
      ),
      tmpBytes: key(
        byteCount().default(GIBIBYTE),
        "How much `/tmp`, `/dev/shm` and the home directory of a sandbox hold, each; they are in memory.",
      ),
    })
    .prefault({});
}
