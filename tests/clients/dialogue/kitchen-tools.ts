/** A tool as every door describes it, before it is put into the shape of one. */
export interface KitchenTool {
  readonly name: string;
  readonly description: string;
  readonly schema: {
    readonly type: "object";
    readonly properties: Readonly<Record<string, { readonly type: "string" }>>;
    readonly required: string[];
  };
}

function tool(name: string, description: string, ...parameters: string[]): KitchenTool {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: "string" } as const]));
  return { name, description, schema: { type: "object", properties, required: parameters } };
}

/** Three tools of a client, whose files are in its memory only. */
export const kitchenTools: readonly KitchenTool[] = [
  tool("read", "Read a file", "path"),
  tool("bash", "Run a shell command", "command"),
  tool("write", "Write a file", "path", "content"),
];

/** The files of one client, and its tools at work on them. */
export class Kitchen {
  readonly files = new Map([
    ["apples.txt", "Boskoop\nElstar\nJonagold\n"],
    ["pears.txt", "Conference\n"],
  ]);

  run(name: string, input: Readonly<Record<string, unknown>>): string {
    const text = (key: string): string => String(input[key] ?? "");
    if (name === "read") return this.files.get(text("path")) ?? "There is no such file.";
    if (name === "bash") return "3 apples.txt\n";
    this.files.set(text("path"), text("content"));
    return "Written.";
  }
}
