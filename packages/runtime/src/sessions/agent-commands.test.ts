import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { agentCommands } from "./agent-commands.ts";

let root: string;
let workspace: string;
let home: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "caret-commands-"));
  workspace = join(root, "work");
  home = join(root, "home");
  for (const directory of [workspace, join(home, ".cursor")])
    mkdirSync(join(directory, directory === workspace ? ".cursor/commands" : "commands"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const put = (path: string, text: string) => writeFileSync(join(root, path), text);
const announced = [
  { name: "compress", source: "agent", description: "Make room" },
  { name: "review", source: "agent", description: "Theirs" },
] as const;
const find = (lane: "acp" | "sim") =>
  agentCommands({ env: { HOME: home }, announcedCommands: () => announced }, workspace, lane);

it("are the workspace's, then the user's, then what the agent of the lane has announced", async () => {
  put("work/.cursor/commands/review.md", "---\nmodel: auto\n---\n# Review\n\nLook at what changed.\n");
  put("home/.cursor/commands/review.md", "Another one");
  put("home/.cursor/commands/tidy.md", "Tidy up.");
  put("home/.cursor/commands/notes.txt", "not a command");
  const review = {
    name: "review",
    source: "workspace",
    description: "Review",
    text: "# Review\n\nLook at what changed.",
  };
  const tidy = { name: "tidy", source: "user", description: "Tidy up.", text: "Tidy up." };
  expect([await find("sim"), await find("acp")]).toEqual([
    [review, tidy],
    [review, tidy, { name: "compress", source: "agent", description: "Make room" }],
  ]);
});

it("are never read through links, nor when they are large or empty", async () => {
  put("secret", "a secret");
  symlinkSync(join(root, "secret"), join(workspace, ".cursor/commands/leak.md"));
  put("work/.cursor/commands/large.md", "x".repeat(64 * 1024 + 1));
  put("work/.cursor/commands/empty.md", "\n");
  rmSync(join(home, ".cursor"), { recursive: true });
  mkdirSync(join(root, "elsewhere"));
  put("elsewhere/out.md", "outside");
  expect(await find("sim")).toEqual([]);
  rmSync(join(workspace, ".cursor"), { recursive: true });
  mkdirSync(join(workspace, ".cursor"));
  symlinkSync(join(root, "elsewhere"), join(workspace, ".cursor/commands"));
  expect(await find("sim")).toEqual([]);
});
