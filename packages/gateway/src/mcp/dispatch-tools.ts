import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { z } from "zod";
import { compareFields, compareModels } from "./compare-calls.ts";
import type { DispatchCalls, HostCall } from "./dispatch-calls.ts";
import { answerFields, sessionField, statusFields, taskFields, waitField } from "./dispatch-fields.ts";
import type { DispatchOptions } from "./dispatch-options.ts";

export interface HostTool {
  readonly name: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: z.ZodObject;
  /** Takes input that `input` has validated. */
  perform(input: unknown, call: HostCall): Promise<object>;
}

const reads: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
const works: ToolAnnotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false };

export function dispatchTools(calls: DispatchCalls, options: DispatchOptions): readonly HostTool[] {
  const task = taskFields(options.permission);
  return [
    hostTool("run", "Give a Cursor agent a task, and wait until it is done or asks something.", works, {
      input: task.extend(waitField.shape),
      perform: (input, call) => calls.run(input, call),
    }),
    hostTool("start", "Give a Cursor agent a task without waiting for it.", works, {
      input: task,
      perform: (input, call) => calls.start(input, call),
    }),
    hostTool("status", "How a session's newest turn stands, at once; or which sessions there are.", reads, {
      input: statusFields,
      perform: async ({ session }) =>
        session === undefined ? { sessions: await calls.recent() } : await calls.status(session),
    }),
    hostTool("result", "Wait for a session's newest turn: its answer, its end, or what it asks.", reads, {
      input: sessionField.extend(waitField.shape),
      perform: ({ session, wait_seconds }, call) => calls.result(session, wait_seconds, call),
    }),
    hostTool("answer", "Decide what an agent asks, and wait for the turn again.", works, {
      input: answerFields,
      perform: (input, call) => calls.answer(input, call),
    }),
    hostTool(
      "compare",
      "Give one task to several models, each in its own git worktree; then merge one of them.",
      works,
      {
        input: compareFields,
        perform: (input, call) => compareModels(options, input, call),
      },
    ),
    hostTool("cancel", "End a session's running turn.", works, {
      input: sessionField,
      perform: ({ session }, call) => calls.cancel(session, call),
    }),
  ];
}

interface Performed<Input extends z.ZodObject> {
  readonly input: Input;
  readonly perform: (input: z.infer<Input>, call: HostCall) => Promise<object>;
}

function hostTool<Input extends z.ZodObject>(
  name: string,
  description: string,
  annotations: ToolAnnotations,
  { input, perform }: Performed<Input>,
): HostTool {
  return { name, description, annotations, input, perform: (args, call) => perform(input.parse(args), call) };
}
