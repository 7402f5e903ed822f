import type { ErrorInfo } from "@caret/protocol";
import type { ChildCommand } from "../child-handle.ts";
import type { ReapTime } from "../stray-reaper.ts";

/** What is sent to the spawner; the content of standard input goes straight to the child. */
export type RemoteCommand = Omit<ChildCommand, "stdin"> & { readonly hasStdin: boolean };

/** From the gateway to the spawner process. `id` identifies a child and is also its mark. */
export type SpawnerRequest =
  | { readonly type: "open"; readonly socketPath: string; readonly registryDir: string | undefined }
  | { readonly type: "spawn"; readonly id: string; readonly command: RemoteCommand }
  | { readonly type: "signal"; readonly id: string; readonly signal: NodeJS.Signals }
  | { readonly type: "reap"; readonly id: string; readonly strays: ReapTime };

/** `listening`: the spawner accepts the streams of children. */
export type SpawnerReport = { readonly type: "listening" } | ChildReport;

/**
 * From the spawner process to the gateway, about one child: `started`, then `exited`; or `failed` instead of either, because a container
 * may turn out to be broken only once it runs; and `reaped` once per request. When a contained child exits, everything it started has
 * ended: it is `isReaped` with its exit, without a request.
 */
export type ChildReport =
  | { readonly type: "started"; readonly id: string; readonly pid: number; readonly startTime: string | undefined }
  | { readonly type: "failed"; readonly id: string; readonly error: ErrorInfo }
  | {
      readonly type: "exited";
      readonly id: string;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly isReaped: boolean;
    }
  | { readonly type: "reaped"; readonly id: string };

/** The streams of a child that use sockets. */
export const streamNames = ["stdin", "stdout", "stderr"] as const;
/** The streams of a child whose standard input is closed. */
export const outputNames = ["stdout", "stderr"] as const;
export type StreamName = (typeof streamNames)[number];

/** The first line on each socket: the id cannot be guessed, so no process can pose as another's child. */
export function socketGreeting(id: string, stream: StreamName): string {
  return `${id}/${stream}`;
}
