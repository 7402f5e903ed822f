import { expect, it } from "vitest";
import { plainLine } from "./plain-line.ts";

it("takes the marks of Markdown out of a line, and leaves what only looks like them", () => {
  const lines = {
    "## A story": "A story",
    "The greeting is **friendlier** now.": "The greeting is friendlier now.",
    "- [the guide](https://example.com/guide) and ~~that~~": "the guide and that",
    "1. An *important* step": "An important step",
    "`rm -rf **/*.js` removes them": "`rm -rf **/*.js` removes them",
    "2 * 3 * 4 = 24": "2 * 3 * 4 = 24",
    "a __init__.py in **": "a __init__.py in **",
    "#hashtag": "#hashtag",
  };
  expect(Object.keys(lines).map(plainLine)).toEqual(Object.values(lines));
});
