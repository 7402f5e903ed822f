import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { workspaceSlug } from "../../chats/chat-exists.ts";
import { registerApprovals, withdrawApprovals } from "./registered-approvals.ts";

let directory: string;
let file: string;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-approvals-")));
  const project = join(directory, "projects", workspaceSlug(directory));
  file = join(project, "mcp-approvals.json");
  mkdirSync(project, { recursive: true });
  writeFileSync(file, JSON.stringify(["users-0000000000000000"]));
});
afterEach(() => rmSync(directory, { recursive: true }));

const agent = (name: string): string => join(directory, "agents", name);
const register = (name: string, id: string): void =>
  registerApprovals(agent(name), { workspace: directory, projectRoots: [directory], ids: [id] });
const approved = (): unknown => JSON.parse(readFileSync(file, "utf8"));

it("the approval of an agent's server stands beside the user's and other agents', is replaced by its next, and goes with it", () => {
  register("ann", "caret-1");
  register("bob", "caret-2");
  const both = approved();
  register("ann", "caret-3");
  const next = approved();
  withdrawApprovals(agent("ann"));
  const without = approved();
  withdrawApprovals(agent("nobody"));
  expect({ both, next, without, after: approved() }).toEqual({
    both: ["users-0000000000000000", "caret-1", "caret-2"],
    next: ["users-0000000000000000", "caret-2", "caret-3"],
    without: ["users-0000000000000000", "caret-2"],
    after: ["users-0000000000000000", "caret-2"],
  });
});
