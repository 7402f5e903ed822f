import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The user's name and address for commits, and nothing else of the git configuration: that may name helpers that know
 * passwords, or hold tokens in addresses.
 */
export function gitIdentity(home: string): string {
  const files = [join(home, ".config", "git", "config"), join(home, ".gitconfig")];
  const user: Record<string, string> = {};
  for (const file of files) readUser(readText(file), user);
  const lines = Object.entries(user).map(([name, value]) => `\t${name} = ${JSON.stringify(value)}\n`);
  return lines.length === 0 ? "" : `[user]\n${lines.join("")}`;
}

function readUser(text: string, user: Record<string, string>): void {
  let section = "";
  for (const line of text.split("\n")) {
    section = /^\s*\[([^\]]*)\]/.exec(line)?.[1]?.trim().toLowerCase() ?? section;
    const [, name, said] = /^\s*(name|email)\s*=(.*)$/i.exec(line) ?? [];
    const value = said?.trim().replace(/^"/, "").replace(/"$/, "");
    if (section === "user" && name !== undefined && value?.includes('"') === false) user[name.toLowerCase()] = value;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // the user has no such file
  }
}
