import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { readTypedLines } from "./typed-lines.ts";

function open(input: PassThrough) {
  const said: string[] = [];
  const jobControl = { interrupt: () => said.push("interrupt"), suspend: () => said.push("suspend") };
  const lines = readTypedLines(
    { stdin: input, jobControl },
    {
      onLine: (line) => said.push(`line ${line}`),
      onStale: (line) => said.push(`stale ${line}`),
      onClose: () => said.push("closed"),
    },
  );
  return { said, lines };
}

const write = async (input: PassThrough, text: string | Buffer): Promise<void> => {
  input.write(text);
  await new Promise(setImmediate);
};

it("takes a piped line that was begun before it was put aside for no answer, and the next one for one", async () => {
  const input = new PassThrough();
  const { said, lines } = open(input);
  await write(input, "one\r\ny");
  await lines.putAside();
  await write(input, "es\ny\nhal");
  await write(input, Buffer.from([0xc3]));
  await write(input, Buffer.from([0xa4]));
  input.end();
  await once(input, "end");
  expect(said.slice(0, 4)).toEqual(["line one", "stale yes", "line y", "line halä"]);
  expect(said.slice(4)).toContain("closed");
});

it("has a terminal hand over what is half typed, and drops it", async () => {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    setRawMode(isRaw: boolean): void {
      modes.push(isRaw);
      if (isRaw) input.write("y");
    },
  });
  const { said, lines } = open(input);
  await lines.putAside();
  await write(input, "\nn\n");
  lines.close();
  expect([said, modes]).toEqual([
    ["line ", "line n"],
    [true, false],
  ]);
});

it.each([
  ["y\x03", "interrupt"],
  ["\x1a", "suspend"],
])("does what the key does that is pressed while a terminal hands over its line: %j", async (typed, done) => {
  const input = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean): unknown => isRaw && input.write(typed),
  });
  const { said, lines } = open(input);
  await lines.putAside();
  lines.close();
  expect(said).toEqual([done]);
});
