import { expect, it } from "vitest";
import { editorLink, isOnThisMachine } from "./editor-link.ts";

const at = (path: string, line?: number) => editorLink("vscode", path, { workspace: "/work/shop", line }).href;

it("leads to the file at its line, from the workspace or from where the path begins", () => {
  expect([at("src/a.ts", 12), at("/etc/hosts"), at("C:\\src\\a.ts", 3)]).toEqual([
    "vscode://file/work/shop/src/a.ts:12",
    "vscode://file/etc/hosts",
    "vscode://file/C:/src/a.ts:3",
  ]);
});

it("keeps every letter of a name, whatever it would mean in an address", () => {
  expect(at("50% off/a b?#.ts")).toBe("vscode://file/work/shop/50%25%20off/a%20b%3F%23.ts");
});

it("says in which editor it opens", () => {
  expect(editorLink("zed", "a", { workspace: "/w" })).toEqual({ href: "zed://file/w/a", label: "Open in Zed" });
});

it("is for browsers on the gateway's own machine", () => {
  const names = [
    "127.0.0.1",
    "localhost",
    "[::1]",
    "caret.localhost",
    "caret.example.com",
    "192.168.0.7",
    "localhost.evil.com",
  ];
  expect(names.map(isOnThisMachine)).toEqual([true, true, true, true, false, false, false]);
});
