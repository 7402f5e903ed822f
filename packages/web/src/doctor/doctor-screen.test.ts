import type { FindingView } from "@caret/protocol";
import { expect, it } from "vitest";
import { findingsText, findingsVerdict, isCommand, worstFirst } from "./doctor-screen.tsx";

const findings: readonly FindingView[] = [
  { check: "node", state: "ok", detail: "24.21.0" },
  { check: "login", state: "fail", detail: "nobody is logged in", fix: "agent login" },
  { check: "sandbox", state: "warn", detail: "bubblewrap is missing" },
];

it("copies everything as text, with what to type", () => {
  expect(findingsText(findings, "0.1.0")).toBe(
    [
      "Caret 0.1.0",
      "ok    node: 24.21.0",
      "FAIL  login: nobody is logged in",
      "      fix: agent login",
      "warn  sandbox: bubblewrap is missing",
      "",
    ].join("\n"),
  );
});

it("sums up in a sentence", () => {
  expect([
    findingsVerdict(findings),
    findingsVerdict(findings.slice(0, 1)),
    findingsVerdict(findings.slice(2)),
    findingsVerdict([]),
  ]).toEqual(["1 failure, 1 warning", "1 check is fine", "1 warning", "Nothing was checked"]);
});

it("puts failures before warnings before what is fine, otherwise in the order of the checks", () => {
  expect(worstFirst(findings).map(({ check }) => check)).toEqual(["login", "sandbox", "node"]);
});

it("distinguishes commands from prose", () => {
  expect(
    ["agent login", "npm install node@24", "Install Cursor's agent CLI, or set `cli.command`."].map(isCommand),
  ).toEqual([true, true, false]);
});
