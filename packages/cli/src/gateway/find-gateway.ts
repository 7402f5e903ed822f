import { type GatewayLock, readLockFile } from "./gateway-lock.ts";

/** Set to `false`, it keeps OpenCode's older plugin from sharing a gateway; we honour it too. */
const REUSE_VARIABLE = "CURSOR_ACP_REUSE_EXISTING_PROXY";
const PROBE_MS = 2_000;

export interface FindGatewayOptions {
  readonly dataDir: string;
  readonly uid: number | undefined;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether this process (pid and start time) is alive; called only on systems with start times. */
  readonly isAlive: (process: { readonly pid: number; readonly startTime: string }) => boolean;
  readonly fetch?: typeof fetch;
}

export type FoundGateway =
  | { readonly kind: "reuse"; readonly gateway: GatewayLock }
  /** `gateway` is a running one that cannot be used: its port is taken. */
  | { readonly kind: "none"; readonly why: string; readonly gateway?: GatewayLock };

/**
 * Finds a gateway to reuse: of this user and version, alive and answering. Never reuses an older gateway or another program on the port.
 */
export async function findGateway(options: FindGatewayOptions): Promise<FoundGateway> {
  const gateway = readLockFile(options.dataDir, options.uid);
  if (gateway === undefined) return { kind: "none", why: "no gateway runs for this data directory" };
  const { pid, startTime, version } = gateway;
  if (startTime !== null && !options.isAlive({ pid, startTime }))
    return { kind: "none", why: "the last gateway has ended" };
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
    return false; // refused, timed out, or not HTTP: it does not answer
  }
}

function mayReuse(env: FindGatewayOptions["env"]): boolean {
  return !["false", "0", "no", "off"].includes((env[REUSE_VARIABLE] ?? "").trim().toLowerCase());
}
