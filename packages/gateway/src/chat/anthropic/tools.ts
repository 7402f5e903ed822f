import { CaretError, type ClientTool } from "@caret/protocol";
import { type RequestTools, type SentTool, toRequestTools } from "../client-tools.ts";
import type { DoorRequest } from "../door-request.ts";
import type { MessagesBody } from "./request.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a request says about a tool without a schema. */
export interface TypedTool {
  readonly type: string;
  readonly display_width_px?: unknown;
  readonly display_height_px?: unknown;
}

export interface KnownTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Fields;
}

const text = (description: string): Fields => ({ type: "string", description });
const oneOf = (...words: readonly string[]): Fields => ({ type: "string", enum: words });
const point = (description: string): Fields => ({
  type: "array",
  items: { type: "integer" },
  minItems: 2,
  maxItems: 2,
  description,
});

function object(required: readonly string[], properties: Fields): Fields {
  return { type: "object", properties, required };
}

const fileFields = {
  path: text("The file or directory."),
  view_range: point("For view: the first and the last line, counted from 1; -1 for the last there is."),
  file_text: text("For create: the content of the file."),
  old_str: text("For str_replace: the text that is there once and goes."),
  new_str: text("For str_replace: the text that comes."),
  insert_line: {
    type: "integer",
    description: "For insert: the line after which the text comes; 0 for the beginning.",
  },
} as const;

/** Later versions lack undo and have another name for the inserted text. */
function textEditor({ type }: TypedTool): KnownTool {
  const isOld = versionOf(type) < 2025_04_29;
  const commands = ["view", "create", "str_replace", "insert", ...(isOld ? ["undo_edit"] : [])];
  const inserted = isOld
    ? { new_str: text("For str_replace and insert: the text that comes.") }
    : { insert_text: text("For insert: the text that comes.") };
  return {
    name: isOld ? "str_replace_editor" : "str_replace_based_edit_tool",
    description: "Shows, creates and changes text files where the user works. Paths are absolute.",
    inputSchema: object(["command", "path"], { command: oneOf(...commands), ...fileFields, ...inserted }),
  };
}

function bash(): KnownTool {
  return {
    name: "bash",
    description: "Runs commands in a shell that keeps its state, where the user works.",
    inputSchema: object([], {
      command: text("The command. Needed unless the shell is restarted."),
      restart: { type: "boolean", description: "Starts the shell afresh." },
    }),
  };
}

function memory(): KnownTool {
  return {
    name: "memory",
    description: "Keeps notes in files under /memories, which outlive this conversation. Look there before you start.",
    inputSchema: object(["command"], {
      command: oneOf("view", "create", "str_replace", "insert", "delete", "rename"),
      ...fileFields,
      insert_text: text("For insert: the text that comes."),
      old_path: text("For rename: the name it has."),
      new_path: text("For rename: the name it gets."),
    }),
  };
}

const FIRST_ACTIONS = [
  "key",
  "type",
  "mouse_move",
  "left_click",
  "left_click_drag",
  "right_click",
  "middle_click",
  "double_click",
  "screenshot",
  "cursor_position",
];
const LATER_ACTIONS = ["left_mouse_down", "left_mouse_up", "scroll", "hold_key", "wait", "triple_click"];

function computer({ type, display_width_px, display_height_px }: TypedTool): KnownTool {
  const version = versionOf(type);
  const actions = [
    ...FIRST_ACTIONS,
    ...(version >= 2025_01_24 ? LATER_ACTIONS : []),
    ...(version >= 2025_11_24 ? ["zoom"] : []),
  ];
  const size =
    typeof display_width_px === "number" && typeof display_height_px === "number"
      ? ` The screen is ${display_width_px} by ${display_height_px} pixels.`
      : "";
  return {
    name: "computer",
    description: `Uses the mouse, the keyboard and the screen of the user's computer.${size} Take a screenshot to see what is there.`,
    inputSchema: object(["action"], {
      action: oneOf(...actions),
      coordinate: point("Where on the screen, in pixels from its upper left corner."),
      start_coordinate: point("For left_click_drag: where it starts."),
      text: text("What is typed, or the keys that are pressed."),
      scroll_direction: oneOf("up", "down", "left", "right"),
      scroll_amount: { type: "integer", description: "For scroll: how many steps of the wheel." },
      duration: { type: "number", description: "For hold_key and wait: how many seconds." },
      ...(version >= 2025_11_24
        ? { region: { type: "array", items: { type: "integer" }, description: "For zoom: left, top, right, bottom." } }
        : {}),
    }),
  };
}

const families: Readonly<Record<string, (tool: TypedTool) => KnownTool>> = {
  bash,
  text_editor: textEditor,
  memory,
  computer,
};

/**
 * Tools that Anthropic defines and the client runs: requests name them by type, without a schema. Undefined for those that Anthropic's own
 * servers run. Unknown versions get the newest schema.
 */
function clientTool(tool: TypedTool): KnownTool | undefined {
  return families[typeParts(tool.type)?.[1] ?? ""]?.(tool);
}

/** `20250124` of `bash_20250124`. */
function versionOf(type: string): number {
  return Number(typeParts(type)?.[2]);
}

function typeParts(type: string): RegExpExecArray | null {
  return /^([a-z_]+)_(\d{8})$/.exec(type);
}

type ToolBody = NonNullable<MessagesBody["tools"]>[number];
type ServerBody = NonNullable<MessagesBody["mcp_servers"]>[number];
type ChoiceBody = NonNullable<MessagesBody["tool_choice"]>;

/** Input schema of a tool that declares none: anything. */
const ANY_INPUT = { type: "object" };

/** The tools the client runs: its own, and those of Anthropic's that clients run. */
export function toMessageTools(tools: readonly ToolBody[], servers: readonly ServerBody[] = []): RequestTools {
  // Anthropic's API would call these itself.
  const remote = servers.map(({ name }) => `mcp_servers.${name ?? ""}`);
  return toRequestTools([...tools.flatMap((tool, index) => toTool(tool, index)), ...remote]);
}

/** The tool, or the type of one that Anthropic's servers run. */
function toTool(tool: ToolBody, index: number): readonly (SentTool | string)[] {
  const { type, name, description, input_schema } = tool;
  const known = typeof type === "string" && !input_schema ? clientTool({ ...tool, type }) : undefined;
  if (known !== undefined) return [{ ...known, name: name ?? known.name }];
  if (typeof type === "string" && type !== "custom" && !input_schema) return isToolSearch(type) ? [] : [type];
  if (name === undefined) throw new CaretError("invalid-request", `tools.${index}.name: is missing.`);
  const described = description === undefined || description === null ? {} : { description };
  return [{ name, ...described, inputSchema: input_schema ?? ANY_INPUT }];
}

/** Searches deferred tools; here all tools are offered from the start. */
function isToolSearch(type: string): boolean {
  return type.startsWith("tool_search_tool_");
}

export function toToolChoice(choice: ChoiceBody | undefined, tools: readonly ClientTool[]): DoorRequest["toolChoice"] {
  if (choice === undefined || choice.type === "auto") return "auto";
  if (choice.type === "none") return "none";
  if (choice.type === "any") return "required";
  const tool = tools.find(({ name }) => name === choice.name);
  if (tool !== undefined) return { name: tool.name };
  throw new CaretError("invalid-request", "tool_choice.name: is not among the tools that can be offered.");
}
