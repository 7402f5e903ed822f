import { expect, it } from "vitest";
import { fileContentOf, UNKNOWN_TYPE } from "./document-parts.ts";

it.each([
  ["data:text/plain;base64,aGk=", { mediaType: "text/plain", data: "aGk=" }],
  ["data:Text/CSV;charset=utf-8;name=a;BASE64,aGk=", { mediaType: "text/csv", data: "aGk=" }],
  ["data:;base64,aGk=", { mediaType: "", data: "aGk=" }],
  ["aGk=", { mediaType: UNKNOWN_TYPE, data: "aGk=" }],
])("reads %j", (value, content) => {
  expect(fileContentOf(value)).toEqual(content);
});

it.each(["6", ";", ";base64"])("comes to an end with a type of %j again and again", (piece) => {
  const value = `data:${piece.repeat(400_000)}`;
  expect(fileContentOf(value)).toEqual({ mediaType: UNKNOWN_TYPE, data: value });
});
