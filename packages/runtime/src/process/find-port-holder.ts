import { basename } from "node:path";
import { readProcFile } from "./process-identity.ts";
import { socketLinks, socketOwners, toHexPort } from "./socket-owners.ts";

const LISTENING = "0A";

export interface PortHolder {
  readonly pid: number;
  /** The program and the script it runs: `node server.js`. Other arguments may be secret and are left out. */
  readonly command: string;
}

/** The process that listens on a port; undefined if it belongs to another user, or without /proc. */
export async function findPortHolder(port: number): Promise<PortHolder | undefined> {
  const links = socketLinks(`:${toHexPort(port)} [0-9A-F]+:0000 ${LISTENING} `);
  const [owner] = (await socketOwners(new Set(links))).values();
  return owner === undefined ? undefined : { pid: owner.pid, command: commandOf(owner.pid) };
}

function commandOf(pid: number): string {
  const [program = "", ...args] = (readProcFile(`/proc/${pid}/cmdline`) ?? "").split("\0").filter(Boolean);
  const script = args.find((word) => !word.startsWith("-"));
  const isScript = script !== undefined && /\.(?:[cm]?[jt]s|py|rb|sh)$/.test(script);
  return [program, ...(isScript ? [script] : [])].map((path) => basename(path)).join(" ");
}
