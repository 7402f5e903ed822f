import { readFileSync } from "node:fs";
import { CaretError } from "@caret/protocol";
import { physicalPath, wayInside } from "../paths/physical-path.ts";
import type { Mount } from "./walls.ts";

/** Devices that bubblewrap itself mounts. */
const DEVICES = ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "console"].map((name) => `/dev/${name}`);
/** An argument of a program has at most 128 KiB. */
const MAX_CHARACTERS = 100_000;

/** What may be mounted inside, as the kernel names it: each a line with a file system's number and a path in it. */
export interface MountNames {
  /** The numbers of the machine's file systems, a space around each. Others were made for the sandbox. */
  readonly machine: string;
  readonly allowed: string;
}

/** A line of `/proc/self/mountinfo`, in its own spelling: spaces and the like as `\040`. */
interface MountLine {
  readonly device: string;
  readonly root: string;
  readonly point: string;
}

/**
 * Bubblewrap finds what it mounts by name, a while after the gateway has looked at it, and an agent that works on the same
 * files may have put a link there meanwhile. So the first program inside compares what was mounted: the kernel knows each mounted
 * directory by its place in its file system, which no link changes. Names in `workspace` are taken as they are; those elsewhere,
 * where no agent can change them, may be links.
 */
export function mountNames(mounts: readonly Mount[], workspace: string): MountNames {
  const lines = readMounts();
  const sources = mounts.flatMap((mount) =>
    mount.kind === "read" || mount.kind === "write" ? [mount.from ?? mount.path] : [],
  );
  const real = sources.map((path) => (wayInside(workspace, path) === undefined ? physicalPath(path) : path));
  const allowed = new Set([...real, ...DEVICES].flatMap((path) => namesOf(escaped(path), lines)));
  const text = Buffer.from(`\n${[...allowed].join("\n")}\n`, "latin1").toString();
  if (text.length > MAX_CHARACTERS)
    throw new CaretError("sandbox-unavailable", "More is mounted on this machine than a sandbox can compare", {
      fix: "Choose a workspace with fewer mount points below it.",
    });
  return { machine: ` ${[...new Set(lines.map(({ device }) => device))].join(" ")} `, allowed: text };
}

/** What stands at a path, and what is mounted below it: it comes along. */
function namesOf(path: string, lines: readonly MountLine[]): readonly string[] {
  const [on] = lines
    .filter(({ point }) => isAtOrBelow(path, point))
    .sort((one, other) => one.point.length - other.point.length)
    .slice(-1);
  if (on === undefined) return [];
  const way = path.slice(on.point === "/" ? 0 : on.point.length);
  const own = { device: on.device, root: on.root === "/" ? way || "/" : `${on.root}${way === "/" ? "" : way}` };
  const below = lines.filter(({ point }) => point !== on.point && isAtOrBelow(point, path));
  return [own, ...below].map(({ device, root }) => `${device} ${root}`);
}

function isAtOrBelow(path: string, directory: string): boolean {
  return path === directory || directory === "/" || path.startsWith(`${directory}/`);
}

function readMounts(): readonly MountLine[] {
  const lines = readFileSync("/proc/self/mountinfo", "latin1").split("\n");
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const [, , device = "", root = "", point = ""] = line.split(" ");
      return { device, root, point };
    });
}

/** As the kernel writes a path there, byte by byte. */
function escaped(path: string): string {
  return Buffer.from(path)
    .toString("latin1")
    .replace(/[ \t\n\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
}
