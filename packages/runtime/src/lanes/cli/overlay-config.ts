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

/** The agent replaces this file as a whole, and several agents at once lose each other's draft: each has its own copy. */
const SETTINGS = "cli-config.json";
/** What an agent must find again outside: it makes these where they are missing. */
const KEPT = ["chats", "projects", "acp-sessions"];

/**
 * Make a configuration directory that is the user's own but for one file: links to all that is in it, and another `mcp.json`. The
 * agent keeps its chats, its login and its project data where it always does. An agent that runs sees no moment without them:
 * only what has changed is replaced.
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
  // Windows links directories without a privilege only as junctions; elsewhere the word is not looked at.
  symlinkSync(target, path, "junction");
}

/** A program that renames a draft over the link, as for a renewed login, means the user's file: it is newer, and goes there. */
function keepReplaced(target: string, path: string): void {
  const [replaced, users] = [lstatSync(path, { throwIfNoEntry: false }), statSync(target)];
  if (replaced?.isFile() !== true || !users.isFile() || replaced.mtimeMs <= users.mtimeMs) return;
  writePrivateFile(target, readFileSync(path));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
