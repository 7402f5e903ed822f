import { expect, it } from "vitest";
import { comparePage } from "./compare-link.ts";

it("finds the compare page of the hosts that are known by their names", () => {
  const pages = [
    "git@github.com:team/tool.git",
    "ssh://git@github.com:22/team/tool.git",
    "https://token@gitlab.example.com/group/sub/tool.git",
    "git@bitbucket.org:team/tool",
    "/srv/git/tool.git",
    "C:\\tool",
    "",
  ].map((remote) => comparePage(remote, "caret/new work"));
  expect(pages).toEqual([
    "https://github.com/team/tool/compare/caret%2Fnew%20work?expand=1",
    "https://github.com/team/tool/compare/caret%2Fnew%20work?expand=1",
    "https://gitlab.example.com/group/sub/tool/-/merge_requests/new?merge_request%5Bsource_branch%5D=caret%2Fnew%20work",
    "https://bitbucket.org/team/tool/pull-requests/new?source=caret%2Fnew%20work",
    undefined,
    undefined,
    undefined,
  ]);
});
