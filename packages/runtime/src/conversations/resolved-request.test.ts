import { CaretError } from "@caret/protocol";
import { expect, it } from "vitest";
import { type OwnerQuestion, toolOwner } from "./resolved-request.ts";

const nothing: OwnerQuestion = {
  asked: undefined,
  configured: undefined,
  offersTools: false,
  unavailableTools: [],
  forbidsTools: false,
};
const unavailableTools = ["web_search_20250305"];

function ownerOf(question: Partial<OwnerQuestion>): string {
  try {
    return toolOwner({ ...nothing, ...question });
  } catch (reason) {
    return CaretError.from(reason).code;
  }
}

it.each([
  ["offers nothing", {}, "agent"],
  ["offers tools", { offersTools: true }, "client"],
  ["offers tools, and some that nobody can run", { offersTools: true, unavailableTools }, "client"],
  ["lists only tools that nobody can run", { unavailableTools }, "unsupported"],
  ["the same, where clients own the tools by configuration", { unavailableTools, configured: "client" }, "unsupported"],
  ["the same, and says that the agent may use its own", { unavailableTools, asked: "agent" }, "agent"],
  ["the same, where the gateway runs the tools", { unavailableTools, configured: "gateway" }, "gateway"],
  ["the same, and forbids tools", { unavailableTools, forbidsTools: true }, "none"],
])("a request that %s is for: %s %s", (_name, question, owner) => {
  expect(ownerOf(question)).toBe(owner);
});
