import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CaretError } from "@caret/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allowedWorkspace, onlyWorkspaces } from "./allowed-workspace.ts";

let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "caret-workspaces-")));
  for (const name of ["allowed/project", "allowed-not", "outside"]) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, "allowed/file"), "");
  symlinkSync(join(root, "outside"), join(root, "allowed/escape"));
  symlinkSync(join(root, "allowed/project"), join(root, "shortcut"));
  symlinkSync(join(root, "allowed"), join(root, "allowed-link"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function ask(path: string, allowed: readonly string[] = [join(root, "allowed")]): string {
  try {
    return allowedWorkspace(path, onlyWorkspaces(allowed));
  } catch (reason) {
    return CaretError.from(reason).code;
  }
}

describe("where turns may work", () => {
  it("is an allowed directory and everything below it", () => {
    expect([ask(join(root, "allowed")), ask(join(root, "allowed/project"))]).toEqual([
      join(root, "allowed"),
      join(root, "allowed/project"),
    ]);
  });

  it("is decided by physical paths, on both sides", () => {
    expect(ask(join(root, "shortcut"))).toBe(join(root, "allowed/project"));
    expect(ask(join(root, "allowed/project"), [join(root, "allowed-link")])).toBe(join(root, "allowed/project"));
    expect(ask(`${root}/allowed/../allowed/./project/`)).toBe(join(root, "allowed/project"));
  });

  it("is not what the spelling of an allowed directory says, where a link in it leads elsewhere", () => {
    expect(ask(join(root, "outside"), [`${root}/shortcut/../outside`])).toBe("workspace-forbidden");
  });

  it.each([
    ["a directory beside it", "outside"],
    ["one whose name merely begins the same", "allowed-not"],
    ["its parent", "."],
    ["a link that leads out of it", "allowed/escape"],
    ["a path that climbs out of it", "allowed/project/../../outside"],
  ])("is not %s", (_name, path) => {
    expect(ask(`${root}/${path}`)).toBe("workspace-forbidden");
  });

  it("must exist and be a directory", () => {
    expect([ask(join(root, "allowed/nothing")), ask(join(root, "allowed/file"))]).toEqual([
      "workspace-missing",
      "workspace-missing",
    ]);
  });

  it("must be named by an absolute path", () => {
    expect(ask("allowed/project")).toBe("invalid-request");
  });

  it("is nowhere when nothing is allowed, or what is allowed does not exist", () => {
    expect([ask(join(root, "allowed"), []), ask(join(root, "allowed"), [join(root, "gone")])]).toEqual([
      "workspace-forbidden",
      "workspace-forbidden",
    ]);
  });
});
