import { expect, it } from "vitest";
import { attachmentName } from "./attachment-name.ts";

it.each([
  ['attachment; filename="fix-login.md"', "fix-login.md"],
  ["attachment; filename=log.ndjson", "log.ndjson"],
  ["attachment; filename=\"x.md\"; filename*=UTF-8''caf%C3%A9.md", "café.md"],
  ["attachment; filename=\"x.md\"; filename*=UTF-8''%E0%A4%A", "x.md"],
  ['attachment; filename="../../etc/passwd"', ".._.._etc_passwd"],
  ["attachment", "session.md"],
  [null, "session.md"],
])("the download of %s is called %s", (header, name) => {
  expect(attachmentName(header, "session.md")).toBe(name);
});
