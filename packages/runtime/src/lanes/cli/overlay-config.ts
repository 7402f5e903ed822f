import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory, writePrivateFile } from "../../paths/private-files.ts";

/** The agent replaces this file as a whole, and concurrent agents lose each other's draft: each gets its own copy. */
const SETTINGS = "cli-config.json";
/** Directories that an agent must find again outside; created if missing. */
const KEPT = ["chats", "projects", "acp-sessions"];

/**
 * Creates a configuration directory that mirrors the user's except for one file: links to everything in it, and a different `mcp.json`.
 * The agent keeps its chats, its login and its project data where it always does. Only changes are replaced, so a running agent never
 * finds them missing.
 */
export function writeOverlayConfig(from: string, directory: string, mcpJson: string): void {
  makePrivateDirectory(directory);
  for (const name of KEPT) mkdirSync(join(from, name), { recursive: true, mode: 0o700 });
  const names = readdirSync(from).filter((name) => name !== "mcp.json" && name !== SETTINGS);
  for (const name of readdirSync(directory))
    if (isLink(join(directory, name)) && !names.includes(name)) rmSync(join(directory, name));
  for (const name of names) link(join(from, name), join(directory, name));
  if (statSync(join(from, SETTINGS), { throwIfNoEntry: false })?.isFile() === true)
    copyFileSync(join(from, SETTINGS), join(directory, SETTINGS));
  writePrivateFile(join(directory, "mcp.json"), mcpJson);
}

function link(target: string, path: string): void {
  if (isLink(path) && readlinkSync(path) === target) return;
  keepReplaced(target, path);
  rmSync(path, { recursive: true, force: true });
  // Without a privilege, Windows links directories only as junctions; elsewhere the type is ignored.
  symlinkSync(target, path, "junction");
}

/** A program that renames a draft over the link, for example to renew a login, means the user's file: the newer content is moved there. */
function keepReplaced(target: string, path: string): void {
  const [replaced, users] = [lstatSync(path, { throwIfNoEntry: false }), statSync(target)];
  if (replaced?.isFile() !== true || !users.isFile() || replaced.mtimeMs <= users.mtimeMs) return;
  writePrivateFile(target, readFileSync(path));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
