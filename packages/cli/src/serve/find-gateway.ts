import { type GatewayLock, readLockFile } from "./gateway-lock.ts";

/** Set to `false`, OpenCode's older plugin never shares a gateway; we heed the same variable. */
const REUSE_VARIABLE = "CURSOR_ACP_REUSE_EXISTING_PROXY";
const PROBE_MS = 2_000;

export interface FindGatewayOptions {
  readonly dataDir: string;
  readonly uid: number | undefined;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether this very process lives; asked only where the system tells start times. */
  readonly isAlive: (process: { readonly pid: number; readonly startTime: string }) => boolean;
  readonly fetch?: typeof fetch;
}

export type FoundGateway =
  | { readonly kind: "reuse"; readonly gateway: GatewayLock }
  /** `gateway` is one that runs all the same: its port is taken. */
  | { readonly kind: "none"; readonly why: string; readonly gateway?: GatewayLock };

/**
 * A gateway that can be used instead of starting another: of this user, of this very version, alive and answering.
 * Whatever else listens on a port, an older gateway or a stranger, is never taken for ours.
 */
export async function findGateway(options: FindGatewayOptions): Promise<FoundGateway> {
  const gateway = readLockFile(options.dataDir, options.uid);
  if (gateway === undefined) return { kind: "none", why: "no gateway runs for this data directory" };
  const { pid, startTime, version } = gateway;
  if (startTime !== null && !options.isAlive({ pid, startTime }))
    return { kind: "none", why: "the gateway that ran last is gone" };
  if (!(await answers(gateway, options.fetch ?? fetch)))
    return { kind: "none", why: `the gateway at ${gateway.url} does not answer` };
  if (version !== options.version)
    return { kind: "none", why: `the running gateway is of version ${version}, not ${options.version}`, gateway };
  if (!mayReuse(options.env)) return { kind: "none", why: `${REUSE_VARIABLE} forbids it`, gateway };
  return { kind: "reuse", gateway };
}

export async function answers({ url }: GatewayLock, ask: typeof fetch): Promise<boolean> {
  try {
    const response = await ask(new URL("/healthz", url), { signal: AbortSignal.timeout(PROBE_MS), redirect: "error" });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false; // refused, timed out, or no HTTP at all: it does not answer
  }
}

function mayReuse(env: FindGatewayOptions["env"]): boolean {
  return !["false", "0", "no", "off"].includes((env[REUSE_VARIABLE] ?? "").trim().toLowerCase());
}
